import Foundation
import Testing

@testable import NetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Tests of an exchange by the events of its delegate, without a task of a session.
struct URLSessionExchangeTests {
    private let context = RequestContext.test()
    private let url: URL

    init() throws {
        url = try #require(URL(string: "http://127.0.0.1/"))
    }

    private func makeExchange(
        _ method: HTTPMethod,
        _ body: Data? = nil,
        in other: RequestContext? = nil
    ) throws -> URLSessionExchange {
        let source = body.map { RequestBodySource(storage: .bytes($0), length: Int64($0.count)) }
        return URLSessionExchange(
            SessionRequest(request: HTTPRequest(method, url), body: source, additional: []),
            origin: try #require(Origin(url)),
            engine: SessionEngine(configuration: .ephemeral),
            context: other ?? context,
            readAheadBound: 1 << 20
        )
    }

    /// A clock that does something while the first alarm is being set, and tells the time of the first alarm that is
    /// cancelled.
    private final class HookedClock: ClockSource {
        let hook = Locked<(@Sendable () -> Void)?>(nil)
        let cancelled = Promise<NetKitClock.Instant>()

        var now: NetKitClock.Instant { NetKitClock.Instant(nanoseconds: 0) }
        var date: Date { Date(timeIntervalSince1970: 0) }

        func sleep(until deadline: NetKitClock.Instant) async throws {}

        func schedule(at deadline: NetKitClock.Instant, _ action: @escaping @Sendable () -> Void) -> ClockAlarm {
            hook.withLock { $0.take() }?()
            return ClockAlarm(action) { [cancelled] in cancelled.resolve(.success(deadline)) }
        }
    }

    /// The last byte of a request leaves while another thread sets the alarm for silence.
    @Test func theEarlierOfTwoAlarmsStays() async throws {
        let time = HookedClock()
        let limits = Timeouts(firstByte: .seconds(1), idle: .seconds(30))
        let context = RequestContext.test(timeouts: limits, clock: NetKitClock(time))
        let exchange = try makeExchange(.put, Data("0123456789".utf8), in: context)
        time.hook.withLock { $0 = { exchange.didSend(10) } }
        let task = Task { try await exchange.run() }
        #expect(try await time.cancelled.value() == time.now.advanced(by: .seconds(30)))
        task.cancel()
    }

    /// A redirect without a usable target is not reported to the delegate before its end.
    @Test func aHeadThatComesWithTheEndIsChecked() async throws {
        let exchange = try makeExchange(.get)
        let fields = ["X-A": "a\u{1}b"]
        let head = try #require(HTTPURLResponse(url: url, statusCode: 302, httpVersion: nil, headerFields: fields))
        exchange.didComplete(nil, head: head)
        let error = await #expect(throws: NetKitError.self) { try await exchange.run() }
        #expect(error?.code == .invalidResponse)
        #expect(error?.outcome == .answered)
    }

    @Test(arguments: [Delivery.buffered(upTo: 10), .streamed])
    func aHeadThatComesWithTheEndIsTheResponse(_ delivery: Delivery) async throws {
        let context = RequestContext.test(delivery: delivery)
        let exchange = try makeExchange(.get, in: context)
        let head = try #require(HTTPURLResponse(url: url, statusCode: 302, httpVersion: nil, headerFields: nil))
        exchange.didComplete(nil, head: head)
        let response = try await exchange.run()
        #expect(response.status == 302)
        #expect(try await response.body.collect(upTo: 10) == Data())
        #expect(context.attempt.outcome == .answered)
    }

    #if canImport(FoundationNetworking)
        /// libcurl repeats a request by itself if a reused connection closes before the response.
        @Test func aBodyThatIsSentAgainCountsOnce() async throws {
            let exchange = try makeExchange(.put, Data("0123456789".utf8))
            exchange.didSend(10)
            #expect(exchange.makeBodyStreamAgain() != nil)
            exchange.didSend(4)
            #expect(context.attempt.sentByteCount == 4)
            exchange.didSend(6)
            #expect(context.attempt.sentByteCount == 10)
            let head = try #require(HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil))
            exchange.didReceive(head)
            exchange.didComplete(nil, head: head)
            #expect(try await exchange.run().timings.bytesSent == 10)
        }
    #endif
}
