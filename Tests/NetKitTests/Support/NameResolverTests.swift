import NetKitTesting
import Testing

@testable import NetKit

/// Tests of names that are remembered, shared and refused. Lookups run when a test says so.
struct NameResolverTests {
    /// Lookups that hang until a test answers them.
    private final class Lookups: Sendable {
        private let waiting = Locked<[@Sendable () -> Void]>([])
        let answers = Locked<[String: Result<[String], ResolverError>]>([:])
        let asked = Notebook<String>()
        /// Whether there is no thread for a lookup.
        let isRefusing = Locked(false)

        func hold(_ body: @escaping @Sendable () -> Void) -> Bool {
            guard !isRefusing.withLock({ $0 }) else { return false }
            waiting.withLock { $0.append(body) }
            return true
        }

        func find(_ host: String) throws -> [String] {
            asked.add(host)
            return try answers.withLock { $0[host] ?? .success(["192.0.2.1"]) }.get()
        }

        func answerAll() {
            let bodies = waiting.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
            for body in bodies { body() }
        }
    }

    private let lookups = Lookups()
    private let time = TestClock()
    private let told = Notebook<String>()

    private func resolver(_ change: (inout NameResolver.Settings) -> Void = { _ in }) -> NameResolver {
        var settings = NameResolver.Settings()
        change(&settings)
        let lookups = lookups
        return NameResolver(
            settings: settings,
            clock: time.clock,
            spawn: { lookups.hold($0) },
            lookUp: { try lookups.find($0) }
        )
    }

    private func ask(_ resolver: NameResolver, _ host: String) -> NameResolver.Ticket? {
        let told = told
        return resolver.ask(host) { answer in
            switch answer {
            case .success(let addresses): told.add("\(host) \(addresses.joined(separator: ","))")
            case .failure(let error):
                told.add("\(host) \((error as? ResolverError)?.reason ?? "\(error)")")
            }
        }
    }

    @Test func thereIsOneLookupForANameAtATime() {
        let resolver = resolver()
        for host in ["a.test", "A.test", "b.test", "a.test"] { _ = ask(resolver, host) }
        #expect(resolver.lookupCount == 2)
        #expect(told.entries.isEmpty)
        lookups.answerAll()
        #expect(lookups.asked.entries == ["a.test", "b.test"])
        #expect(told.entries.count == 4)
        #expect(resolver.lookupCount == 0)
    }

    @Test func addressesAreRememberedForAMinuteAndFailuresForASecond() {
        let resolver = resolver()
        lookups.answers.withLock {
            $0["no.test"] = .failure(ResolverError(host: "no.test", reason: "unknown"))
        }
        for host in ["a.test", "no.test"] { _ = ask(resolver, host) }
        lookups.answerAll()
        time.advance(by: .milliseconds(999))
        for host in ["a.test", "no.test"] { #expect(ask(resolver, host) == nil) }
        #expect(
            told.entries.sorted() == [
                "a.test 192.0.2.1", "a.test 192.0.2.1", "no.test unknown", "no.test unknown",
            ]
        )
        time.advance(by: .milliseconds(1))
        #expect(ask(resolver, "no.test") != nil)
        lookups.answerAll()
        time.advance(by: .seconds(58))
        #expect(resolver.remembered("a.test") != nil)
        #expect(resolver.remembered("a.test", notOlderThan: .seconds(30)) == nil)
        time.advance(by: .seconds(1))
        #expect(resolver.remembered("a.test") == nil)
        #expect(ask(resolver, "a.test") != nil)
    }

    @Test func aFailureThatIsTooOldForTheCallerIsNotUsed() {
        let resolver = resolver()
        lookups.answers.withLock { $0["no.test"] = .failure(ResolverError(host: "no.test", reason: "unknown")) }
        _ = ask(resolver, "no.test")
        lookups.answerAll()
        #expect(resolver.remembered("no.test") != nil)
        #expect(resolver.remembered("no.test", notOlderThan: .zero) == nil)
        #expect(resolver.ask("no.test", notOlderThan: .zero) { _ in } != nil)
        #expect(resolver.lookupCount == 1)
        lookups.answerAll()
        #expect(lookups.asked.entries == ["no.test", "no.test"])
    }

    @Test func anAddressThatFailsToBeFoundAgainIsNotUsed() throws {
        let resolver = resolver()
        _ = ask(resolver, "a.test")
        lookups.answerAll()
        time.advance(by: .seconds(60))
        lookups.answers.withLock {
            $0["a.test"] = .failure(ResolverError(host: "a.test", reason: "gone"))
        }
        _ = ask(resolver, "a.test")
        lookups.answerAll()
        #expect(throws: ResolverError.self) { try #require(resolver.remembered("a.test")).get() }
    }

    @Test func beyondTheMaximumOnlyKnownNamesAreLookedUp() {
        let resolver = resolver {
            $0.maxLookups = 4
            $0.reservedLookups = 1
        }
        _ = ask(resolver, "known.test")
        lookups.answerAll()
        time.advance(by: .seconds(60))
        for number in 0..<4 { _ = ask(resolver, "silent\(number).test") }
        #expect(resolver.lookupCount == 3)
        #expect(told.entries.last?.contains("has not answered 3 other lookups") == true)
        // The resolver waits for a lookup that is under way already, and an address needs no lookup.
        #expect(ask(resolver, "silent0.test") != nil)
        #expect(ask(resolver, "127.1") == nil)
        #expect(told.entries.last == "127.1 127.0.0.1")
        #expect(ask(resolver, "known.test") != nil)
        #expect(resolver.lookupCount == 4)
        lookups.answerAll()
        #expect(ask(resolver, "silent3.test") != nil)
    }

    @Test func aCallThatGivesUpLeavesTheLookupToTheOthers() async throws {
        let resolver = resolver()
        let ticket = try #require(ask(resolver, "a.test"))
        _ = ask(resolver, "a.test")
        resolver.forget(ticket)
        let task = Task { try await resolver.addresses(of: "a.test") }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        lookups.answerAll()
        #expect(told.entries == ["a.test 192.0.2.1"])
        #expect(resolver.remembered("a.test") != nil)
    }

    /// A lookup that never began must not keep all later ones waiting for it.
    @Test func withoutAThreadALookupFailsAndTheNextOneIsTriedAgain() {
        let resolver = resolver()
        lookups.isRefusing.withLock { $0 = true }
        #expect(ask(resolver, "a.test") == nil)
        #expect(told.entries.last?.contains("could not create a thread") == true)
        #expect(resolver.lookupCount == 0)
        lookups.isRefusing.withLock { $0 = false }
        #expect(ask(resolver, "a.test") != nil)
        lookups.answerAll()
        #expect(told.entries.last == "a.test 192.0.2.1")
    }

    /// The next call may find free descriptors again.
    @Test func aShortageOnThisMachineIsNotRemembered() {
        let resolver = resolver()
        let shortage = ResolverError(host: "a.test", reason: "too many open files", isLocalShortage: true)
        lookups.answers.withLock { $0["a.test"] = .failure(shortage) }
        _ = ask(resolver, "a.test")
        lookups.answerAll()
        #expect(told.entries == ["a.test too many open files"])
        #expect(resolver.remembered("a.test") == nil)
        #expect(ask(resolver, "a.test") != nil)
    }

    @Test func noMoreNamesAreRememberedThanTheMaximum() {
        let resolver = resolver { $0.maxNames = 2 }
        for number in 0..<3 {
            _ = ask(resolver, "n\(number).test")
            lookups.answerAll()
        }
        #expect((0..<3).map { resolver.remembered("n\($0).test") != nil } == [false, true, true])
    }
}
