import Foundation
import NetKitTesting
import Testing

@testable import NetKit

struct CacheAgeTests {
    /// An interceptor that waits before it passes a request on, as retry does between two attempts.
    private struct Waiting: Interceptor {
        let time: TestClock
        let stage = Stage.retry

        func intercept(
            _ request: HTTPRequest,
            context: RequestContext,
            next: Next
        ) async throws -> HTTPResponse {
            time.advance(by: .seconds(30))
            return try await next(request, context)
        }
    }

    /// RFC 9111, section 4.2.3: the delay of a response begins when the request for it is sent.
    @Test(arguments: [false, true])
    func aWaitBeforeTheRequestDoesNotMakeItsResponseOlder(waits: Bool) async throws {
        let time = TestClock(date: cacheStart)
        let transport = MockTransport { _, _ in
            time.advance(by: .seconds(2))
            return .text("a", ["Cache-Control": "max-age=20"])
        }
        let list: InterceptorList = [CacheInterceptor(MemoryCacheStore())] + (waits ? [Waiting(time: time)] : [])
        let client = HTTPClient.testing(transport, list, time: time)
        _ = try await client.send(HTTPRequest(.get, "/x"))
        let hit = try await client.send(HTTPRequest(.get, "/x"))
        #expect(hit.headers["Age"] == "2")
        #expect(transport.requests.count == 1)
    }

    @Test func aWaitBeforeARevalidationDoesNotMakeItsResponseOlder() async throws {
        let time = TestClock(date: cacheStart)
        let transport = MockTransport { request, _ in
            let status: HTTPStatus = request.headers.contains("If-None-Match") ? .notModified : .ok
            return .text("", ["Cache-Control": "max-age=20", "ETag": "\"1\""], status: status)
        }
        let cache = CacheInterceptor(MemoryCacheStore())
        let client = HTTPClient.testing(transport, cache, Waiting(time: time), time: time)
        _ = try await client.send(HTTPRequest(.get, "/x"))
        time.advance(by: .seconds(20))
        _ = try await client.send(HTTPRequest(.get, "/x"))
        let hit = try await client.send(HTTPRequest(.get, "/x"))
        #expect(hit.headers["Age"] == "0")
        #expect(transport.requests.count == 2)
    }
}
