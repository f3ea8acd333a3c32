import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests that calls that miss the same entry share one exchange, while each keeps its own end, pace and identity.
@Suite(.timeLimit(.minutes(5)))
struct CacheSharingTests {
    private let it = SharingClient()

    // MARK: One exchange

    @Test(arguments: [false, true], [false, true])
    func callsThatMissTheSameEntryShareOneExchange(isStreamed: Bool, respondsInPieces: Bool) async throws {
        it.respond(inPieces: respondsInPieces) { number, _ in .text("\(number)", ["Cache-Control": "max-age=60"]) }
        let calls = (0..<64).map { _ in it.get(isStreamed: isStreamed) }
        try await it.waitForCalls(waiting: 63)
        it.release()
        let responses = try await calls.values()
        #expect(responses.allSatisfy { $0.text == "1" })
        #expect(it.sent == 1)
        #expect(responses.count { $0.status.contains("collapsed") } == 63)
        #expect(
            responses.first { $0.status.contains("collapsed") }?.status
                == "NetKit; fwd=uri-miss; fwd-status=200; collapsed"
        )
        let statistics = await it.cache.statistics
        #expect(statistics.misses == 64)
        #expect(statistics.sharedExchanges == 63)
        #expect(statistics.writes == 1)
        it.expectNothingLeft()
    }

    @Test func streamedAndTypedCallsShare() async throws {
        it.respond(inPieces: true) { number, _ in .text("\(number)", ["Cache-Control": "max-age=60"]) }
        let calls = (0..<8).map { it.get(isStreamed: $0.isMultiple(of: 2)) }
        try await it.waitForCalls(waiting: 7)
        it.release()
        #expect(try await calls.values().allSatisfy { $0.text == "1" })
        #expect(it.sent == 1)
    }

    @Test func aRevalidationIsSharedToo() async throws {
        it.respond { number, request in
            request.headers["If-None-Match"] == "\"a\""
                ? HTTPResponse(status: .notModified, headers: ["ETag": "\"a\"", "Cache-Control": "max-age=60"])
                : .text("\(number)", ["ETag": "\"a\"", "Cache-Control": "max-age=60"])
        }
        it.release()
        _ = try await it.get().value
        it.time.advance(by: .seconds(100))
        it.hold()
        let calls = (0..<16).map { _ in it.get() }
        try await it.waitForCalls(waiting: 15)
        it.release()
        #expect(try await calls.values().allSatisfy { $0.text == "1" })
        #expect(it.sent == 2)
        #expect(await it.cache.statistics.misses == 1)
    }

    @Test func callsShareAnExchangeEvenIfTheStoreKeepsNothing() async throws {
        let it = SharingClient(MemoryCacheStore(maxBytes: 1))
        it.respond { number, _ in .text("\(number)", ["Cache-Control": "max-age=60"]) }
        let calls = (0..<8).map { _ in it.get() }
        try await it.waitForCalls(waiting: 7)
        it.release()
        #expect(try await calls.values().allSatisfy { $0.text == "1" })
        #expect(it.sent == 1)
    }

    // MARK: Independent ends

    @Test(arguments: [false, true])
    func aCallThatWaitsIsCancelledAlone(isStreamed: Bool) async throws {
        it.respond(inPieces: isStreamed) { number, _ in .text("\(number)", ["Cache-Control": "max-age=60"]) }
        let first = it.get(isStreamed: isStreamed)
        try await it.waitForExchanges(1)
        let (second, third) = (it.get(isStreamed: isStreamed), it.get(isStreamed: isStreamed))
        try await it.waitForCalls(waiting: 2)
        second.cancel()
        #expect(await outcome(of: second) == "cancelled")
        #expect(it.cache.flights.waitingCount == 1)
        it.release()
        #expect(try await first.value.text == "1")
        #expect(try await third.value.text == "1")
        #expect(it.sent == 1)
        it.expectNothingLeft()
    }

    @Test func anotherCallTakesOverIfTheLeaderIsCancelled() async throws {
        it.respond { number, _ in .text("\(number)", ["Cache-Control": "max-age=60"]) }
        let first = it.get()
        try await it.waitForExchanges(1)
        let others = (0..<8).map { _ in it.get() }
        try await it.waitForCalls(waiting: 8)
        first.cancel()
        #expect(await outcome(of: first) == "cancelled")
        await it.transport.waitForRequests(2)
        try await it.waitForCalls(waiting: 7)
        it.release()
        #expect(try await others.values().allSatisfy { $0.text == "2" })
        #expect(it.sent == 2)
        it.expectNothingLeft()
    }

    /// A body whose second half arrives when the test says so.
    private final class HalfSent: ResponseBodySource {
        private let stubborn: Stubborn
        private let halves = Locked(["b", "a"])

        init(stubborn: Stubborn) {
            self.stubborn = stubborn
        }

        var trailers: HTTPHeaders? { nil }

        func next() async throws -> Data? {
            let half = halves.withLock { $0.popLast() }
            if half == "b" { await stubborn.wait() }
            return half.map { Data($0.utf8) }
        }

        func cancel(_ reason: any Error) {}
    }

    @Test(arguments: [false, true])
    func aReaderThatLeavesInTheMiddleOfTheBodyLeavesTheRestToOthers(byDeadline: Bool) async throws {
        let stubborn = Stubborn()
        it.respond { _, _ in
            let body = ResponseBody(length: 2, source: HalfSent(stubborn: stubborn))
            return HTTPResponse(status: .ok, headers: ["Cache-Control": "max-age=60"], body: body)
        }
        it.release()
        let response = try await it.response(timeout: byDeadline ? .seconds(3) : nil).value
        let first = Task { try await response.body.text(upTo: 100) }
        await stubborn.begun()
        let second = it.get()
        try await it.waitForCalls(waiting: 1)
        if byDeadline { it.time.advance(by: .seconds(3)) } else { first.cancel() }
        #expect(await outcome(of: first) == (byDeadline ? "timeout" : "cancelled"))
        stubborn.release()
        #expect(try await second.value.text == "ab")
    }

    @Test func eachKeepsItsDeadline() async throws {
        it.respond { number, _ in .text("\(number)", ["Cache-Control": "max-age=60"]) }
        let first = it.get(timeout: .seconds(3))
        try await it.waitForExchanges(1)
        let hurried = it.get(timeout: .seconds(2))
        let patient = it.get()
        try await it.waitForCalls(waiting: 2)
        it.time.advance(by: .seconds(2))
        let error = await #expect(throws: NetKitError.self) { try await hurried.value }
        #expect(error?.timeoutPhase == .deadline)
        // It sent nothing itself.
        #expect(error?.outcome == .notSent)
        it.time.advance(by: .seconds(1))
        #expect(await #expect(throws: NetKitError.self) { try await first.value }?.timeoutPhase == .deadline)
        await it.transport.waitForRequests(2)
        it.release()
        #expect(try await patient.value.text == "2")
    }

    @Test func aMoreUrgentCallDoesNotWait() async throws {
        it.respond { number, _ in .text("\(number)", ["Cache-Control": "max-age=60"]) }
        let background = it.get(priority: .background)
        try await it.waitForExchanges(1)
        let urgent = it.get(priority: .high)
        try await it.waitForExchanges(2)
        // Later calls wait for the urgent one.
        let others = [it.get(priority: .high), it.get(priority: .background)]
        try await it.waitForCalls(waiting: 2)
        it.release()
        #expect(try await [background, urgent].values().map(\.text) == ["1", "2"])
        #expect(try await others.values().map(\.text) == ["2", "2"])
        it.expectNothingLeft()
    }

    @Test func aCallWithOtherLimitsDoesNotWait() async throws {
        it.respond { number, _ in .text("\(number)", ["Cache-Control": "max-age=60"]) }
        let first = it.get()
        try await it.waitForExchanges(1)
        let other = it.get(timeouts: Timeouts(attempt: .seconds(1)))
        await it.transport.waitForRequests(2)
        it.release()
        #expect(try await [first, other].values().map(\.text) == ["1", "2"])
    }

    // MARK: Independent pace

    @Test func aSlowReaderDelaysNoOtherCall() async throws {
        let pipe = BodyPipe()
        it.respond(from: pipe)
        let slow = it.response()
        try await it.waitForExchanges(1)
        let others = (0..<4).map { _ in it.get(isStreamed: true) }
        try await it.waitForCalls(waiting: 4)
        it.release()
        let response = try await slow.value
        pipe.offer(Data("ab".utf8))
        pipe.offer(Data("cd".utf8))
        pipe.finish()
        // The first has not read a byte.
        #expect(try await others.values().allSatisfy { $0.text == "abcd" })
        #expect(try await response.body.text(upTo: 10) == "abcd")
        #expect(it.sent == 1)
        it.expectNothingLeft()
    }

    @Test func theBodyIsReadOnForOthersIfItsReaderLeaves() async throws {
        let pipe = BodyPipe()
        it.respond(from: pipe, length: 4)
        let first = it.response()
        try await it.waitForExchanges(1)
        let other = it.get(isStreamed: true)
        try await it.waitForCalls(waiting: 1)
        it.release()
        let response = try await first.value
        pipe.offer(Data("ab".utf8))
        response.body.discard()
        pipe.offer(Data("cd".utf8))
        pipe.finish()
        #expect(try await other.value.text == "abcd")
        #expect(try await it.get().value.text == "abcd")
        #expect(it.sent == 1)
        it.expectNothingLeft()
    }

    @Test func aReaderThatTimesOutDoesNotTakeAPartForTheWhole() async throws {
        let pipe = BodyPipe()
        it.respond(from: pipe, length: 4)
        it.release()
        let response = try await it.response(timeout: .seconds(2)).value
        let first = Task { try await response.body.text(upTo: 10) }
        pipe.offer(Data("ab".utf8))
        let other = it.get()
        try await it.waitForCalls(waiting: 1)
        it.time.advance(by: .seconds(2))
        pipe.offer(Data("cd".utf8))
        pipe.finish()
        #expect(await #expect(throws: NetKitError.self) { try await first.value }?.timeoutPhase == .deadline)
        #expect(try await other.value.text == "abcd")
    }

    /// The bound of the wait ends with the wait.
    @Test func aBodyWithoutWaitingCallsCanBeSharedLater() async throws {
        let pipe = BodyPipe()
        it.respond(from: pipe)
        let first = it.response()
        try await it.waitForExchanges(1)
        let early = it.get()
        try await it.waitForCalls(waiting: 1)
        it.release()
        let response = try await first.value
        pipe.offer(Data("ab".utf8))
        early.cancel()
        #expect(await outcome(of: early) == "cancelled")
        try await it.waitForCalls(waiting: 0)
        it.time.advance(by: .seconds(5))
        let late = it.get()
        try await it.waitForCalls(waiting: 1)
        pipe.offer(Data("cd".utf8))
        pipe.finish()
        #expect(try await late.value.text == "abcd")
        #expect(try await response.body.text(upTo: 10) == "abcd")
        #expect(it.sent == 1)
        it.expectNothingLeft()
    }

    @Test func anUnwantedBodyIsGivenUp() async throws {
        let isCancelled = Flag()
        let pipe = BodyPipe(onCancel: { _ in isCancelled.set() })
        it.respond(from: pipe, length: 4)
        let first = it.response()
        try await it.waitForExchanges(1)
        let other = it.get(isStreamed: true)
        try await it.waitForCalls(waiting: 1)
        it.release()
        try await first.value.body.discard()
        #expect(!isCancelled.isSet)
        other.cancel()
        #expect(await outcome(of: other) == "cancelled")
        try await waitUntil { isCancelled.isSet }
        it.expectNothingLeft()
    }

    @Test(arguments: [nil, 40] as [Int64?])
    func aBodyAboveTheBoundIsFetchedByEachCaller(length: Int64?) async throws {
        // In a store that keeps nothing, no call finds a response that another one has fetched meanwhile.
        let it = SharingClient(MemoryCacheStore(maxBytes: 1), maxSharedBodyBytes: 30)
        it.respond { number, _ in
            let pipe = BodyPipe()
            for _ in 0..<4 { pipe.offer(Data("\(number)123456789".utf8)) }
            pipe.finish()
            return HTTPResponse(
                status: .ok,
                headers: ["Cache-Control": "max-age=60", "N": "\(number)"],
                body: ResponseBody(length: length, source: pipe)
            )
        }
        let first = it.response()
        try await it.waitForExchanges(1)
        let others = (0..<3).map { _ in it.get(isStreamed: true) }
        try await it.waitForCalls(waiting: 3)
        it.release()
        let response = try await first.value
        #expect(try await others.values().allSatisfy { $0.text.count == 40 })
        #expect(it.sent == 4)
        #expect(try await response.body.text(upTo: 100).count == 40)
        it.expectNothingLeft()
    }

    @Test func noCallWaitsLongForABodyWithoutALength() async throws {
        let pipe = BodyPipe()
        it.respond { number, _ in
            guard number == 1 else { return .text("\(number)", ["Cache-Control": "max-age=60"]) }
            return HTTPResponse(status: .ok, headers: ["Cache-Control": "max-age=60"], body: ResponseBody(source: pipe))
        }
        let first = it.response()
        try await it.waitForExchanges(1)
        let other = it.get()
        try await it.waitForCalls(waiting: 1)
        it.release()
        let response = try await first.value
        pipe.offer(Data("a".utf8))
        it.time.advance(by: .seconds(4))
        #expect(it.cache.flights.waitingCount == 1)
        it.time.advance(by: .seconds(1))
        #expect(try await other.value.text == "2")
        pipe.finish()
        #expect(try await response.body.text(upTo: 10) == "a")
        it.expectNothingLeft()
    }
}
