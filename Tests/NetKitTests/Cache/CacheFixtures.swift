import Foundation
import NetKitTesting

@testable import NetKit

/// The time at which tests of the cache begin: a second without a fraction.
let cacheStart = Date(timeIntervalSince1970: 1_800_000_000)

/// Returns a date some seconds from the beginning, as a header writes it.
func httpDate(_ seconds: Double) -> String {
    HTTPDate.format(cacheStart.addingTimeInterval(seconds))
}

extension StoredResponse {
    /// Returns a response that was received when the test began, or some seconds before.
    static func test(
        _ headers: HTTPHeaders,
        status: HTTPStatus = .ok,
        age: Double = 0,
        delay: Double = 0,
        ttl: Double? = nil,
        mayGuess: Bool = true,
        bodyID: UInt64 = 7
    ) -> StoredResponse {
        let received = cacheStart.addingTimeInterval(-age)
        return StoredResponse(
            status: status,
            headers: StoredFields.kept(headers, control: CacheControl(headers)).withDate(received),
            requestDate: received.addingTimeInterval(-delay),
            responseDate: received,
            receivedAge: DeltaSeconds.age(in: headers),
            ttl: ttl,
            mayGuess: mayGuess,
            bodyID: bodyID
        )
    }
}

extension CacheEngine.Exchange {
    /// An exchange that ends when the test begins.
    static func test(
        _ headers: HTTPHeaders,
        status: HTTPStatus = .ok,
        method: HTTPMethod = .get,
        asking: HTTPHeaders = [:],
        policy: CachePolicy = .standard,
        hasQuery: Bool = false
    ) -> CacheEngine.Exchange {
        CacheEngine.Exchange(
            cacheRequest: CacheRequest(method: method, headers: asking),
            status: status,
            headers: headers,
            requestDate: cacheStart,
            responseDate: cacheStart,
            policy: policy,
            hasQuery: hasQuery
        )
    }
}

extension CacheVerdict {
    /// The stored response, if any.
    var response: StoredResponse? {
        if case .store(let response, _) = self { response } else { nil }
    }
}

/// A client with a cache over a mock, and everything that a test inspects.
struct CachedClient {
    let time = TestClock(date: cacheStart)
    let transport = MockTransport()
    let cache: CacheInterceptor
    let client: HTTPClient

    init(
        _ store: some CacheStore = MemoryCacheStore(),
        policy: CachePolicy = .standard,
        servesStaleWhenDisconnected: Bool = false,
        maxSharedBodyBytes: Int = 8 << 20,
        others: [any Interceptor] = [],
        scope: CacheInterceptor.Scope? = nil
    ) {
        cache = CacheInterceptor(
            store,
            policy: policy,
            servesStaleWhenDisconnected: servesStaleWhenDisconnected,
            maxSharedBodyBytes: maxSharedBodyBytes,
            scope: scope
        )
        client = .testing(transport, InterceptorList([cache] + others), time: time)
    }

    /// The number of requests that were sent.
    var sent: Int { transport.requests.count }

    /// Responds to each request with the result of a function of its number.
    func respond(_ path: String = "**", _ make: @escaping @Sendable (Int, HTTPRequest) -> HTTPResponse) {
        let count = Shared(0)
        transport.stub(
            nil,
            path,
            .respond { request, _ in
                let number = count.increment()
                return make(number, request)
            }
        )
    }

    /// Sends a request and reads its response.
    func get(
        _ path: RequestPath = "/x",
        _ headers: HTTPHeaders = [:],
        method: HTTPMethod = .get,
        policy: CachePolicy? = nil,
        isStreamed: Bool = false,
        principal: Principal? = nil,
        tags: CallTags = CallTags()
    ) async throws -> (response: HTTPResponse, text: String) {
        let options = CallOptions(
            delivery: isStreamed ? .streamed : .buffered(upTo: 1 << 20),
            principal: principal,
            cachePolicy: policy,
            tags: tags
        )
        let response = try await client.send(HTTPRequest(method, path, headers: headers), options: options)
        return (response, try await response.body.text(upTo: 1 << 20))
    }
}

extension HTTPResponse {
    /// A text with header fields.
    static func text(_ text: String, _ headers: HTTPHeaders = [:], status: HTTPStatus = .ok) -> HTTPResponse {
        HTTPResponse(status: status, headers: headers, body: ResponseBody(Data(text.utf8)))
    }
}
