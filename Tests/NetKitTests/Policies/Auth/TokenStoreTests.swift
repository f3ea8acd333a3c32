import Foundation
import NetKitTesting
import Testing

@testable import NetKit

@Suite(.timeLimit(.minutes(5)))
struct TokenStoreTests {
    private struct Refusal: Error, Equatable {}

    /// A refresh closure that waits until it is released, and counts.
    private final class HeldRefresh: Sendable {
        private let gate = MockTransport()
        private let received = Notebook<String?>()
        private let cancelled = Flag()

        init() {
            gate.stub(nil, "**", .stalled)
        }

        var calls: [String?] { received.entries }
        var wasCancelled: Bool { cancelled.isSet }

        func waitForCalls(_ count: Int) async { await gate.waitForRequests(count) }
        func release() { gate.release() }

        func run(_ current: String?, result: Result<String, any Error> = .success("fresh")) async throws -> String {
            received.add(current)
            do {
                _ = try await gate.send(HTTPRequest(.get, URL(fileURLWithPath: "/")), context: .test(timeouts: .none))
            } catch {
                cancelled.set()
                throw error
            }
            return try result.get()
        }
    }

    @Test func theInitialTokenIsGivenWithoutAnyWaiting() async throws {
        let store = TokenStore(initial: "first", clock: TestClock().clock) { _ in throw Refusal() }
        #expect(store.readyToken?.token.value == "first")
        #expect(try await store.token().value == "first")
    }

    @Test func withoutOneTheFirstCallerFetchesAndItIsKept() async throws {
        let calls = Notebook<String?>()
        let store = TokenStore(initial: nil, clock: TestClock().clock) { current in
            calls.add(current)
            return "fetched"
        }
        #expect(store.readyToken == nil)
        for _ in 0..<3 { #expect(try await store.token().value == "fetched") }
        #expect(calls.entries == [nil])
        #expect(store.readyToken?.token.value == "fetched")
    }

    @Test func tenCallersShareOneFetch() async throws {
        let held = HeldRefresh()
        let store = TokenStore(initial: nil, clock: TestClock().clock) { try await held.run($0) }
        let callers = (0..<10).map { _ in Task { try await store.token().value } }
        await held.waitForCalls(1)
        held.release()
        for caller in callers { #expect(try await caller.value == "fresh") }
        #expect(held.calls == [nil])
    }

    @Test func aThousandRefusalsAreOneRefresh() async throws {
        let held = HeldRefresh()
        let store = TokenStore(initial: "old", clock: TestClock().clock) { try await held.run($0) }
        let refused = try #require(store.readyToken)
        let callers = (0..<1000).map { _ in Task { try await store.replacement(for: refused)?.token.value } }
        await held.waitForCalls(1)
        held.release()
        for caller in callers { #expect(try await caller.value == "fresh") }
        #expect(held.calls == ["old"])
        #expect(try await store.replacement(for: refused)?.token.value == "fresh")
        #expect(held.calls.count == 1)
    }

    @Test func theRefreshSurvivesItsFirstCaller() async throws {
        let held = HeldRefresh()
        let store = TokenStore(initial: "old", clock: TestClock().clock) { try await held.run($0) }
        let refused = try #require(store.readyToken)
        let first = Task { try await store.replacement(for: refused)?.token.value }
        await held.waitForCalls(1)
        let second = Task { try await store.token().value }
        first.cancel()
        #expect(await outcome(of: first) == "cancelled")
        #expect(!held.wasCancelled)
        held.release()
        #expect(try await second.value == "fresh")
        #expect(held.calls.count == 1)
    }

    @Test func theRefreshSurvivesAllItsCallers() async throws {
        let held = HeldRefresh()
        let saved = Notebook<String?>()
        let (saves, save) = AsyncStream.makeStream(of: Void.self)
        let store = TokenStore(
            initial: AccessToken("old"),
            clock: TestClock().clock,
            refresh: { AccessToken(try await held.run($0?.value)) },
            save: { token in
                saved.add(token?.value)
                save.yield()
            }
        )
        let refused = try #require(store.readyToken)
        let only = Task { try await store.replacement(for: refused) }
        await held.waitForCalls(1)
        only.cancel()
        _ = await only.result
        held.release()
        for await _ in saves { break }
        // The rotated token is not lost, and the next caller has it.
        #expect(saved.entries == ["fresh"])
        #expect(try await store.token().value == "fresh")
        #expect(held.calls.count == 1)
    }

    @Test func theStoreEndsItsRefreshWhenItGoes() async throws {
        let held = HeldRefresh()
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        func useOnce() async throws {
            let store = TokenStore(initial: nil, clock: TestClock().clock) { current in
                defer { end.finish() }
                return try await held.run(current)
            }
            let caller = Task { [store] in try await store.token() }
            await held.waitForCalls(1)
            caller.cancel()
            _ = await caller.result
        }
        try await useOnce()
        for await _ in ends {}
        #expect(held.wasCancelled)
    }

    @Test func theRefreshDoesNotInheritTheDeadlineOfItsCaller() async throws {
        let time = TestClock()
        let transport = MockTransport()
        transport.stub(.post, "/token", .text("fresh").delayed(by: .seconds(10)))
        var configuration = HTTPClient.Configuration()
        configuration.clock = time.clock
        let client = HTTPClient(baseURL: exampleBase, transport: transport, configuration: configuration)
        let store = TokenStore(initial: nil, clock: time.clock) { _ in try await client.send(.post("/token")) }
        let hasty = Task { try await withDeadline(.seconds(1), clock: time.clock) { try await store.token() } }
        await time.waitForSleepers(1)
        let patient = Task { try await store.token().value }
        time.advance(by: .seconds(2))
        #expect(await outcome(of: hasty) == "timeout")
        time.advance(by: .seconds(8))
        #expect(try await patient.value == "fresh")
        #expect(transport.requests.count == 1)
    }

    @Test func everyWaitingCallGetsTheErrorAndALaterOneMayTryAgain() async throws {
        let held = HeldRefresh()
        let store = TokenStore(initial: "old", clock: TestClock().clock) { current in
            try await held.run(current, result: held.calls.isEmpty ? .failure(Refusal()) : .success("fresh"))
        }
        let refused = try #require(store.readyToken)
        let callers = (0..<100).map { _ in Task { try await store.replacement(for: refused) } }
        await held.waitForCalls(1)
        held.release()
        for caller in callers { await #expect(throws: Refusal()) { try await caller.value } }
        // Refusals of requests that were under way get the token in memory.
        await #expect(throws: Refusal()) { try await store.replacement(for: refused) }
        #expect(held.calls.count == 1)
        // A request made now is sent with the old token, and its refusal is a new one.
        let later = try #require(store.readyToken)
        #expect(later.token.value == "old")
        #expect(try await store.replacement(for: later)?.token.value == "fresh")
        #expect(held.calls.count == 2)
    }

    @Test func aCancelledRefreshDoesNotCancelWaitingCalls() async throws {
        let store = TokenStore(initial: nil, clock: TestClock().clock) { _ in throw CancellationError() }
        let error = await #expect(throws: NetKitError.self) { try await store.token() }
        #expect(error?.code == .unauthorized)
        #expect(error?.cause is CancellationError)
    }

    @Test func aRefreshThatHangsIsEnded() async throws {
        let time = TestClock()
        let held = HeldRefresh()
        let store = TokenStore(initial: nil, refreshTimeout: .seconds(7), clock: time.clock) { try await held.run($0) }
        let caller = Task { try await store.token() }
        await held.waitForCalls(1)
        await time.waitForAlarms(1)
        time.advance(by: .seconds(7))
        let error = await #expect(throws: NetKitError.self) { try await caller.value }
        #expect(error?.code == .timeout)
        #expect(error?.message.contains("7 s") == true)
        #expect(time.alarmCount == 0)
    }

    @Test func aTokenIsRefreshedAheadOfItsEndWhileCallersUseIt() async throws {
        let time = TestClock()
        let held = HeldRefresh()
        let store = TokenStore(
            initial: AccessToken("old", expiresIn: .seconds(600), clock: time.clock),
            refreshAhead: .seconds(60),
            clock: time.clock,
            refresh: { AccessToken(try await held.run($0?.value), expiresIn: .seconds(600), clock: time.clock) }
        )
        time.advance(by: .seconds(539))
        #expect(store.readyToken?.token.value == "old")
        time.advance(by: .seconds(1))
        #expect(store.readyToken == nil)
        #expect(try await store.token().value == "old")
        await held.waitForCalls(1)
        #expect(try await store.token().value == "old")
        let waiting = startImmediately { try await store.refresh().value }
        held.release()
        #expect(try await waiting.value == "fresh")
        #expect(store.readyToken?.token.value == "fresh")
        #expect(held.calls == ["old"])
    }

    @Test func aTokenMayBeRefreshedAheadByTheLongestTime() async throws {
        let time = TestClock()
        let store = TokenStore(
            initial: AccessToken("first", expiry: time.date.addingTimeInterval(-1)),
            refreshAhead: Duration(attoseconds: .max),
            clock: time.clock,
            refresh: { (_: AccessToken?) in AccessToken("second") }
        )
        #expect(try await store.token().value == "second")
    }

    @Test func aJumpOfTheTimeOfDayDoesNotMatterToATokenThatIsHeld() async throws {
        // The expiry is a time of day only when it is passed in. After that, it is measured.
        let time = TestClock(date: Date(timeIntervalSince1970: 0))
        let store = TokenStore(
            initial: AccessToken("old", expiry: Date(timeIntervalSince1970: 100)),
            refreshAhead: .zero,
            clock: time.clock,
            refresh: { _ in AccessToken("fresh") }
        )
        time.advance(by: .seconds(99))
        #expect(store.readyToken?.token.value == "old")
        time.advance(by: .seconds(1))
        #expect(try await store.token().value == "fresh")
    }

    @Test func anExpiredTokenIsNotHandedOutAfterALateRefreshAheadFailed() async throws {
        let time = TestClock()
        let store = TokenStore(
            initial: AccessToken("old", expiry: time.date.addingTimeInterval(10)),
            clock: time.clock,
            refresh: { (_: AccessToken?) in throw Refusal() }
        )
        time.advance(by: .milliseconds(9500))
        await #expect(throws: Refusal.self) { try await store.refresh() }
        #expect(store.readyToken?.token.value == "old")
        time.advance(by: .milliseconds(500))
        #expect(store.readyToken == nil)
    }

    @Test func tooManyRefreshesAreAnErrorThatSaysWhatToDo() async throws {
        let time = TestClock()
        let calls = Notebook<String?>()
        let limit = RefreshLimit(maxRefreshes: 3, window: .seconds(30))
        let store = TokenStore(initial: "0", limit: limit, clock: time.clock) { current in
            calls.add(current)
            return "\(calls.count)"
        }
        for _ in 0..<3 { _ = try await store.replacement(for: #require(store.readyToken)) }
        let error = await #expect(throws: NetKitError.self) {
            try await store.replacement(for: #require(store.readyToken))
        }
        #expect(error?.code == .unauthorized)
        #expect(error?.message.contains("3 times within 30 s") == true)
        #expect(calls.entries == ["0", "1", "2"])
        time.advance(by: .seconds(30))
        #expect(try await store.replacement(for: #require(store.readyToken))?.token.value == "4")
    }

    @Test func theDefaultLimitIsFiveInThirtySeconds() async throws {
        #expect(RefreshLimit.standard == RefreshLimit(maxRefreshes: 5, window: .seconds(30)))
        let store = TokenStore(initial: "a", clock: TestClock().clock) { _ in "a" }
        for _ in 0..<5 { _ = try await store.replacement(for: #require(store.readyToken)) }
        let refused = try #require(store.readyToken)
        #expect(await thrownCode { try await store.replacement(for: refused) } == .unauthorized)
    }

    @Test func withoutTokenAndRefreshTheErrorSaysSo() async {
        let error = await #expect(throws: NetKitError.self) { try await TokenStore(initial: nil).token() }
        #expect(error?.code == .unauthorized)
        #expect(error?.message.contains("set(_:)") == true)
    }

    @Test func clearForgetsTheTokenAndDropsARefreshUnderWay() async throws {
        let held = HeldRefresh()
        let store = TokenStore(initial: "old", clock: TestClock().clock) { try await held.run($0) }
        let identity = store.identity
        let refused = try #require(store.readyToken)
        let caller = Task { try await store.replacement(for: refused) }
        await held.waitForCalls(1)
        await store.clear()
        let error = await #expect(throws: NetKitError.self) { try await caller.value }
        #expect(error?.code == .unauthorized)
        #expect(store.readyToken == nil)
        #expect(store.identity != identity)
        held.release()
        #expect(try await store.token().value == "fresh")
        #expect(held.calls == ["old", nil])
    }

    @Test func aLoginReplacesTheTokenForWaitingCalls() async throws {
        let held = HeldRefresh()
        let store = TokenStore(initial: "old", clock: TestClock().clock) { try await held.run($0) }
        let refused = try #require(store.readyToken)
        let caller = Task { try await store.replacement(for: refused)?.token.value }
        await held.waitForCalls(1)
        await store.set(AccessToken("given"))
        #expect(try await caller.value == "given")
        held.release()
        #expect(try await store.token().value == "given")
    }

    @Test func aRefreshThatAsksItsOwnStoreIsAnsweredAtOnce() async throws {
        let seen = Notebook<String?>()
        let box = Locked<TokenStore?>(nil)
        let store = TokenStore(initial: "old", clock: TestClock().clock) { _ in
            let store = box.withLock { $0 }
            seen.add(try await store?.current()?.token.value)
            seen.add(try await store?.replacement(for: IssuedToken(AccessToken("old"), version: 1))?.token.value)
            seen.add(try await store?.refresh().value)
            return "new"
        }
        box.withLock { $0 = store }
        #expect(try await store.refresh().value == "new")
        #expect(seen.entries == ["old", nil, "old"])
        box.withLock { $0 = nil }
    }

    @Test func anEmptyStoreWhoseFetchAsksItselfHasNoToken() async throws {
        let seen = Notebook<Bool>()
        let box = Locked<TokenStore?>(nil)
        let store = TokenStore(initial: nil, clock: TestClock().clock) { _ in
            let store = box.withLock { $0 }
            seen.add(try await store?.current() == nil)
            #expect(await thrownCode { try await store?.token() as Any } == .unauthorized)
            return "new"
        }
        box.withLock { $0 = store }
        #expect(try await store.token().value == "new")
        #expect(seen.entries == [true])
        box.withLock { $0 = nil }
    }

    @Test func aCancelledCallerBeginsNoRefresh() async throws {
        let held = HeldRefresh()
        let store = TokenStore(initial: nil, clock: TestClock().clock) { try await held.run($0) }
        let caller = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await store.token()
        }
        #expect(await outcome(of: caller) == "cancelled")
        #expect(held.calls.isEmpty)
    }

    @Test func descriptionsOfTokensHideTheirSecrets() {
        let token = AccessToken("s3cret", expiry: Date(timeIntervalSince1970: 0), refreshToken: "hidden")
        var dumped = ""
        dump(token, to: &dumped)
        dump(IssuedToken(token), to: &dumped)
        dump(TokenStore(initial: token), to: &dumped)
        dump(AuthInterceptor.basic(user: "ada", password: "s3cret"), to: &dumped)
        for text in ["\(token)", String(reflecting: token), "\(IssuedToken(token))", dumped] {
            #expect(!text.contains("s3cret") && !text.contains("hidden"))
        }
        #expect("\(token)" == "AccessToken(***, until Thu, 01 Jan 1970 00:00:00 GMT)")
    }

    @Test func invalidSettingsAreReported() {
        let limit = RefreshLimit(maxRefreshes: 0, window: .zero)
        let store = TokenStore(
            initial: nil,
            refreshAhead: .seconds(-1),
            limit: limit,
            refreshTimeout: .zero,
            refresh: { _ in AccessToken("") },
            load: nil
        )
        #expect(store.warnings.count == 4)
        #expect(TokenStore(initial: "a") { _ in "b" }.warnings == [])
    }
}
