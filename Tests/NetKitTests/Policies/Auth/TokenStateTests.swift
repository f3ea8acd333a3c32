import NetKitTesting
import Testing

@testable import NetKit

/// Tests of the decisions about a token, as scripts: events, and the expected actions.
struct TokenStateTests {
    struct Script: Sendable, CustomTestStringConvertible {
        let name: String
        var canRefresh = true
        var needsLoad = false
        var ahead = Duration.seconds(60)
        var limit = RefreshLimit(window: .zero)
        /// `event -> actions`
        let lines: [String]

        var testDescription: String { name }
    }

    static let scripts = [
        Script(
            name: "the first caller begins a flight, the others wait, and all use its token afterwards",
            lines: ["needed -> begin 1", "needed -> wait", "succeed 1 a -> a v1", "needed -> a v1"]
        ),
        Script(
            name: "a refused token is refreshed once, and callers that come meanwhile wait",
            lines: [
                "set a -> a v1", "refused 1 -> begin 1", "refused 1 -> wait", "needed -> wait", "succeed 1 b -> b v2",
                "needed -> b v2",
            ]
        ),
        Script(
            name: "a late refusal of an older token gets the current one",
            lines: [
                "set a -> a v1", "refused 1 -> begin 1", "succeed 1 b -> b v2", "refused 1 -> b v2",
                "refused 1 -> b v2", "refused 2 -> begin 2",
            ]
        ),
        Script(
            name: "a refresh that returns the same text still counts as a new token",
            lines: ["set a -> a v1", "refused 1 -> begin 1", "succeed 1 a -> a v2", "refused 1 -> a v2"]
        ),
        Script(
            name: "a failed refresh is repeated only for calls that come later",
            lines: [
                "set a -> a v1", "refused 1 -> begin 1", "fail 1 -> yes", "refused 1 -> fails failure 1",
                "refused 1 -> fails failure 1", "needed -> a v2", "refused 2 -> begin 2",
                "refused 1 -> fails failure 1",
                "fail 2 -> yes", "refused 1 -> fails failure 2", "refused 2 -> fails failure 2", "needed -> a v3",
                "refused 3 -> begin 3", "succeed 3 b -> b v4", "refused 1 -> b v4", "refused 3 -> b v4",
            ]
        ),
        Script(
            name: "a first fetch that failed is tried again for the next caller",
            lines: ["needed -> begin 1", "fail 1 -> yes", "needed -> begin 2", "succeed 2 a -> a v1"]
        ),
        Script(
            name: "without a refresh closure, a refusal is final",
            canRefresh: false,
            lines: [
                "needed -> missing", "set a -> a v1", "refused 1 -> stands", "set b -> b v2", "refused 1 -> b v2",
                "note 2 -> b v2", "demanded -> missing",
            ]
        ),
        Script(
            name: "without a refresh closure an expired token is used, and the server decides",
            canRefresh: false,
            lines: ["set a 10 -> a v1", "at 11", "needed -> a v1"]
        ),
        Script(
            name: "storage is asked once",
            canRefresh: false,
            needsLoad: true,
            lines: ["needed -> begin 1", "needed -> wait", "loaded", "fail 1 -> yes", "needed -> missing"]
        ),
        Script(
            name: "a token is refreshed ahead of its end while callers still use it",
            lines: [
                "set a 600 -> a v1", "at 539", "needed -> a v1", "at 540", "needed -> a v1, begin 1", "needed -> a v1",
                "succeed 1 b 600 -> b v2", "needed -> b v2", "at 1079", "needed -> b v2", "at 1080",
                "needed -> b v2, begin 2",
            ]
        ),
        Script(
            name: "an expired token is not used",
            lines: ["set a 600 -> a v1", "at 600", "needed -> begin 1", "needed -> wait", "succeed 1 b -> b v2"]
        ),
        Script(
            name: "a token that expires while it is refreshed ahead makes callers wait",
            lines: ["set a 600 -> a v1", "at 550", "needed -> a v1, begin 1", "at 600", "needed -> wait"]
        ),
        Script(
            name: "a refusal during a refresh ahead joins it",
            lines: [
                "set a 600 -> a v1", "at 550", "needed -> a v1, begin 1", "refused 1 -> wait", "needed -> wait",
                "fail 1 -> yes", "refused 1 -> fails failure 1", "needed -> a v2",
            ]
        ),
        Script(
            name: "a short-lived token is refreshed at half of its lifetime, not again and again",
            lines: ["set a 10 -> a v1", "at 4", "needed -> a v1", "at 5", "needed -> a v1, begin 1"]
        ),
        Script(
            name: "a refresh ahead that fails is tried again after half of the remaining time",
            lines: [
                "set a 600 -> a v1", "at 540", "needed -> a v1, begin 1", "fail 1 -> yes", "needed -> a v1",
                "at 569", "needed -> a v1", "at 570", "needed -> a v1, begin 2", "fail 2 -> yes",
                "refused 1 -> begin 3",
            ]
        ),
        Script(
            name: "a negative time ahead counts as zero",
            ahead: .seconds(-100),
            lines: ["set a 600 -> a v1", "at 599", "needed -> a v1", "at 600", "needed -> begin 1"]
        ),
        Script(
            name: "a token that is expired from the start is refreshed for the first caller",
            lines: ["set a -5 -> a v1", "needed -> begin 1"]
        ),
        Script(
            name: "a token that is set replaces a flight",
            lines: [
                "set a -> a v1", "refused 1 -> begin 1", "set b -> b v2", "succeed 1 c -> dropped", "needed -> b v2",
            ]
        ),
        Script(
            name: "a flight that was cleared brings nothing back",
            lines: [
                "set a -> a v1", "refused 1 -> begin 1", "clear", "succeed 1 b -> dropped", "fail 1 -> no",
                "needed -> begin 2", "refused 1 -> wait", "succeed 2 c -> c v3",
            ]
        ),
        Script(
            name: "a flight that failed counts again if its token comes, unless something newer followed",
            lines: [
                "set a -> a v1", "refused 1 -> begin 1", "resume 1 -> no", "fail 1 -> yes", "resume 1 -> yes",
                "refused 2 -> wait", "succeed 1 b -> b v3", "resume 1 -> no", "refused 3 -> begin 2", "fail 2 -> yes",
                "refused 4 -> begin 3", "resume 2 -> no", "fail 3 -> yes", "resume 2 -> yes", "clear", "resume 3 -> no",
            ]
        ),
        Script(
            name: "a refusal that no call waits for leaves the token in use while no refresh may begin",
            limit: RefreshLimit(maxRefreshes: 1, window: .seconds(1000)),
            lines: [
                "set a -> a v1", "refused 1 -> begin 1", "succeed 1 b -> b v2", "rejected 2", "note 2 -> b v2",
                "needed -> b v2", "refused 2 -> fails storm",
            ]
        ),
        Script(
            name: "after a refusal that no call waits for, the next caller refreshes",
            lines: ["set a -> a v1", "note 1 -> a v1", "needed -> begin 1", "needed -> wait", "succeed 1 b -> b v2"]
        ),
        Script(
            name: "a refusal of an older token that no call waits for changes nothing",
            lines: ["set a -> a v1", "set b -> b v2", "note 1 -> b v2", "needed -> b v2"]
        ),
        Script(
            name: "a demand for a new token joins a refresh under way",
            lines: [
                "set a -> a v1", "demanded -> begin 1", "demanded -> wait", "needed -> a v1", "succeed 1 b -> b v2",
            ]
        ),
        Script(
            name: "a version is reserved only for the flight that counts",
            lines: ["needed -> begin 1", "reserve 1 -> 1", "set a -> a v2", "reserve 1 -> none"]
        ),
        Script(
            name: "refreshes that servers do not accept are limited in a window that slides",
            limit: RefreshLimit(maxRefreshes: 2, window: .seconds(30)),
            lines: [
                "set a -> a v1", "refused 1 -> begin 1", "succeed 1 b -> b v2", "rejected 2", "at 10",
                "refused 2 -> begin 2", "succeed 2 c -> c v3", "rejected 3", "at 29", "refused 3 -> fails storm",
                "needed -> c v3", "at 30", "refused 3 -> begin 3", "succeed 3 d -> d v4", "rejected 4", "at 39",
                "refused 4 -> fails storm", "at 40", "refused 4 -> begin 4",
            ]
        ),
        Script(
            name: "a refresh has helped if one server accepted the token, even if others refuse it",
            limit: RefreshLimit(maxRefreshes: 1, window: .seconds(1000)),
            lines: [
                "set a -> a v1", "refused 1 -> begin 1", "succeed 1 b -> b v2", "rejected 2", "accepted 2",
                "rejected 2", "refused 2 -> begin 2", "succeed 2 c -> c v3", "accepted 2", "refused 3 -> fails storm",
            ]
        ),
        Script(
            name: "a refresh has helped if its token was used for a while without a report",
            limit: RefreshLimit(maxRefreshes: 1, window: .seconds(1000)),
            lines: [
                "set a -> a v1", "refused 1 -> begin 1", "succeed 1 b -> b v2", "at 1", "refused 2 -> begin 2",
                "succeed 2 c -> c v3", "refused 3 -> fails storm", "at 2", "refused 3 -> fails storm",
            ]
        ),
        Script(
            name: "at the limit, callers use a valid token, and fail once it has expired",
            limit: RefreshLimit(maxRefreshes: 1, window: .seconds(1000)),
            lines: [
                "set a 600 -> a v1", "at 540", "needed -> a v1, begin 1", "succeed 1 b 0 -> b v2",
                "needed -> fails storm", "set c 600 -> c v3", "at 1100", "needed -> c v3", "at 1140",
                "needed -> fails storm",
            ]
        ),
        Script(
            name: "a refresh has helped if its token was used until it expired",
            limit: RefreshLimit(maxRefreshes: 1, window: .seconds(1000)),
            lines: [
                "needed -> begin 1", "succeed 1 a 4 -> a v1", "at 4", "needed -> begin 2", "succeed 2 b 4 -> b v2",
                "at 6", "needed -> b v2, begin 3",
            ]
        ),
        Script(
            name: "after each failure the next refresh waits for longer, and not after a success",
            limit: RefreshLimit(maxRefreshes: 1, window: .seconds(60)),
            lines: [
                "needed -> begin 1", "fail 1 -> yes", "needed -> begin 2", "fail 2 -> yes",
                "needed -> fails failure 2", "demanded -> fails failure 2", "at 1", "needed -> begin 3",
                "fail 3 -> yes", "at 2", "needed -> fails failure 3", "at 3", "needed -> begin 4", "needed -> wait",
                "fail 4 -> yes", "at 6", "needed -> fails failure 4", "at 7", "needed -> begin 5",
                "succeed 5 a -> a v1", "at 8", "refused 1 -> begin 6", "fail 6 -> yes", "refused 1 -> fails failure 6",
                "needed -> a v2", "refused 2 -> begin 7", "fail 7 -> yes", "needed -> a v3",
                "refused 3 -> fails failure 7", "at 9", "refused 3 -> begin 8",
            ]
        ),
        Script(
            name: "during a pause, callers use a valid token",
            limit: RefreshLimit(maxRefreshes: 1, window: .seconds(6000)),
            lines: [
                "set a 600 -> a v1", "at 540", "needed -> a v1, begin 1", "fail 1 -> yes", "at 570",
                "needed -> a v1, begin 2", "fail 2 -> yes", "at 586", "needed -> a v1", "at 600",
                "needed -> fails failure 2", "at 670", "needed -> begin 3",
            ]
        ),
        Script(
            name: "a login forgets earlier refreshes and failures",
            limit: RefreshLimit(maxRefreshes: 1, window: .seconds(1000)),
            lines: [
                "needed -> begin 1", "fail 1 -> yes", "needed -> begin 2", "fail 2 -> yes",
                "needed -> fails failure 2", "clear", "needed -> begin 3", "fail 3 -> yes", "needed -> begin 4",
                "fail 4 -> yes", "login a -> a v2", "refused 2 -> begin 5",
            ]
        ),
        Script(
            name: "a maximum below one counts as one, a window below zero limits nothing",
            limit: RefreshLimit(maxRefreshes: -3, window: .seconds(-1)),
            lines: ["needed -> begin 1", "fail 1 -> yes", "needed -> begin 2", "fail 2 -> yes", "needed -> begin 3"]
        ),
    ]

    @Test(arguments: scripts)
    func decides(_ script: Script) throws {
        var run = ScriptRun(script)
        for line in script.lines {
            let parts = line.split(separator: " -> ", maxSplits: 1).map(String.init)
            let found = try run.perform(#require(parts.first))
            #expect(found == (parts.count > 1 ? parts.last : nil), "\(line)")
        }
    }

    /// In any order of events: at most one flight, versions that only rise, and no cleared token.
    @Test(arguments: UInt64(0)..<40)
    func keepsItsInvariants(seed: UInt64) {
        let random = RandomSource.seeded(seed)
        let limit = RefreshLimit(maxRefreshes: 3, window: .seconds(5))
        var state = TokenState(rules: .init(limit: limit))
        var now = NetKitClock.Instant(nanoseconds: 0)
        var (newest, waiting, failures, pauseEnd) = (0, 0, 0, now)
        for step in 0..<400 {
            now = now.advanced(by: .milliseconds(Int(random.next() % 1500)))
            let before = state.flight
            switch random.next() % 8 {
            case 0, 1, 2:
                waiting += note(state.needed(at: now), before, pauseEnd, now)
            case 3, 4:
                let version = max(0, newest - Int(random.next() % 3))
                waiting += note(state.refused(version, at: now), before, pauseEnd, now)
            case 5:
                let lifetime = random.next() % 2 == 0 ? Duration.seconds(Int(random.next() % 20)) : nil
                if let flight = state.flight,
                    state.succeed(flight, AccessToken("\(step)"), lifetime: lifetime, at: now) != nil
                {
                    (waiting, failures) = (0, 0)
                }
            case 6:
                if let flight = state.flight, state.fail(flight, CancellationError(), at: now) {
                    waiting = 0
                    failures += 1
                    pauseEnd = now.advanced(by: limit.pause(afterFailures: failures))
                }
            default:
                if random.next() % 10 == 0 {
                    _ = state.clear()
                    (failures, pauseEnd) = (0, now)
                    waiting = 0
                    #expect(state.issued == nil)
                }
            }
            if let issued = state.issued {
                #expect(issued.version >= newest)
                newest = issued.version
            }
            // No caller waits without a flight.
            #expect(waiting == 0 || state.flight != nil)
        }
    }

    private func note(
        _ decision: TokenState.Decision,
        _ before: Int?,
        _ pauseEnd: NetKitClock.Instant,
        _ now: NetKitClock.Instant
    ) -> Int {
        switch decision {
        case .begin, .useAndBegin:
            #expect(before == nil)
            #expect(now >= pauseEnd)
            if case .begin = decision { return 1 }
            return 0
        case .wait:
            #expect(before != nil)
            return 1
        case .use, .missing, .stands, .fail: return 0
        }
    }
}

/// A script while it runs.
private struct ScriptRun {
    private struct Failure: Error {
        let number: Int
    }

    private var state: TokenState
    private var now = NetKitClock.Instant(nanoseconds: 0)

    init(_ script: TokenStateTests.Script) {
        let rules = TokenState.Rules(canRefresh: script.canRefresh, refreshAhead: script.ahead, limit: script.limit)
        state = TokenState(rules: rules, needsLoad: script.needsLoad)
    }

    mutating func perform(_ text: String) throws -> String? {
        let words = text.split(separator: " ").map(String.init)
        let number = words.count > 1 ? Int(words[1]) : nil
        switch words.first {
        case "at":
            now = NetKitClock.Instant(nanoseconds: Int64(try #require(number)) * 1_000_000_000)
            return nil
        case "needed": return shown(state.needed(at: now))
        case "demanded": return shown(state.demanded(at: now))
        case "refused": return shown(state.refused(try #require(number), at: now))
        case "reserve": return state.reserveVersion(for: try #require(number)).map(String.init) ?? "none"
        case "resume": return state.resume(try #require(number)) ? "yes" : "no"
        case "note":
            state.noteRefused(try #require(number), at: now)
            return state.issued.map { shown($0) }
        case "accepted", "rejected":
            state.noteReplay(try #require(number), isAccepted: words.first == "accepted")
            return nil
        case "login":
            return shown(state.logIn(AccessToken(words[1]), as: nil, lifetime: nil, at: now))
        case "loaded":
            state.noteLoaded()
            return nil
        case "clear":
            _ = state.clear()
            return nil
        case "set":
            return shown(state.set(AccessToken(words[1]), lifetime: lifetime(words, at: 2), at: now))
        case "succeed":
            let flight = try #require(number)
            let issued = state.succeed(flight, AccessToken(words[2]), lifetime: lifetime(words, at: 3), at: now)
            return issued.map { shown($0) } ?? "dropped"
        case "fail":
            let flight = try #require(number)
            return state.fail(flight, Failure(number: flight), at: now) ? "yes" : "no"
        default: return "unknown"
        }
    }

    private func lifetime(_ words: [String], at index: Int) -> Duration? {
        words.count > index ? Int(words[index]).map { .seconds($0) } : nil
    }

    private func shown(_ issued: IssuedToken) -> String { "\(issued.token.value) v\(issued.version)" }

    private func shown(_ decision: TokenState.Decision) -> String {
        switch decision {
        case .use(let issued): shown(issued)
        case .useAndBegin(let issued, let flight): "\(shown(issued)), begin \(flight)"
        case .begin(let flight): "begin \(flight)"
        case .wait: "wait"
        case .missing: "missing"
        case .stands: "stands"
        case .fail(let error as Failure): "fails failure \(error.number)"
        case .fail: "fails storm"
        }
    }
}
