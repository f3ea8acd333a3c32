import Foundation
import NetKit
import NetKitTesting
import Testing

/// Tests that a thousand callers and twenty expiries cause twenty refreshes, however a token ends.
@Suite(.timeLimit(.minutes(5)))
struct TokenWaveTests {
    private static let callers = 1000
    private static let expiries = 20

    /// All callers are refused with the same token, some late: after others have the new one already.
    @Test func byRefusal() async throws {
        let refreshes = Notebook<String?>()
        let limit = RefreshLimit(maxRefreshes: 100, window: .seconds(1))
        let store = TokenStore(initial: "0", limit: limit, clock: TestClock().clock) { current in
            refreshes.add(current)
            return "\(refreshes.count)"
        }
        for expiry in 1...Self.expiries {
            let refused = try #require(store.readyToken)
            let tokens = try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<Self.callers {
                    group.addTask { try await store.replacement(for: refused)?.token.value }
                }
                return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
            }
            #expect(tokens == ["\(expiry)"])
        }
        #expect(refreshes.entries == (0..<Self.expiries).map { "\($0)" })
    }

    /// The token expires under a clock that stands still while the callers ask.
    @Test(arguments: [Duration.zero, .seconds(60)])
    func byTime(ahead: Duration) async throws {
        let time = TestClock()
        let refreshes = Notebook<String?>()
        let store = TokenStore(
            initial: AccessToken("0", expiresIn: .seconds(600), clock: time.clock),
            refreshAhead: ahead,
            clock: time.clock,
            refresh: { current in
                refreshes.add(current?.value)
                return AccessToken("\(refreshes.count)", expiresIn: .seconds(600), clock: time.clock)
            }
        )
        for expiry in 1...Self.expiries {
            time.advance(by: .seconds(600))
            let tokens = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<Self.callers { group.addTask { try await store.token().value } }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(tokens == ["\(expiry)"])
        }
        #expect(refreshes.count == Self.expiries)
        #expect(time.alarmCount == 0)
    }

    /// Callers come and leave in a seeded order: with refusals, failures and cancellations, no waiter is forgotten.
    @Test(arguments: UInt64(0)..<8)
    func noWaiterIsForgotten(seed: UInt64) async throws {
        let random = RandomSource.seeded(seed)
        let refreshes = Notebook<Int>()
        // Without a pause after failures, which would never end under a clock that stands still.
        let limit = RefreshLimit(maxRefreshes: 1000, window: .zero)
        let store = TokenStore(initial: nil, limit: limit, clock: TestClock().clock) { _ in
            refreshes.add(1)
            if random.next() % 3 == 0 { throw NetKitError(.connect, "refused") }
            return "\(refreshes.count)"
        }
        let calls = (0..<300).map { _ in
            let (refuses, cancels) = (random.next() % 2 == 0, random.next() % 4 == 0)
            let call = Task {
                let issued = try await store.current()
                return refuses ? try await store.replacement(for: #require(issued)) : issued
            }
            if cancels { call.cancel() }
            return (call, cancels)
        }
        for (call, cancels) in calls {
            let ending = await outcome(of: call)
            #expect(["success", "connect"].contains(ending) || (cancels && ending == "cancelled"))
        }
    }
}
