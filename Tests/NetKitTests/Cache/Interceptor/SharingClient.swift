import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// A client with a cache whose server responds to reads only when the test lets it.
struct SharingClient {
    typealias Respond = @Sendable (Int, HTTPRequest) throws -> HTTPResponse

    /// The result of a call.
    struct Got: Sendable {
        let text: String
        let status: String
    }

    private let it: CachedClient
    private let gate = Shared(MockGate())
    /// The number of the last exchange that reached the server.
    private let lastNumber = Shared(0)

    init(
        _ store: some CacheStore = MemoryCacheStore(),
        maxSharedBodyBytes: Int = 8 << 20,
        others: [any Interceptor] = []
    ) {
        it = CachedClient(store, maxSharedBodyBytes: maxSharedBodyBytes, others: others)
    }

    var cache: CacheInterceptor { it.cache }
    var client: HTTPClient { it.client }
    var transport: MockTransport { it.transport }
    var time: TestClock { it.time }
    /// The number of requests that were sent.
    var sent: Int { it.sent }

    /// Makes reads wait until they are released, or releases those that wait.
    func hold() { gate.withLock { $0 = MockGate() } }
    func release() { gate.withLock { $0 }.open() }

    /// Responds with the result of a function of the number of the request.
    func respond(inPieces: Bool = false, _ make: @escaping Respond) {
        let (lastNumber, gate) = (lastNumber, gate)
        lastNumber.withLock { $0 = 0 }
        it.transport.stub(
            nil,
            "**",
            .respond { request, _ in
                let number = lastNumber.increment()
                if request.method == .get { try await gate.withLock { $0 }.wait(until: nil, .system) }
                var response = try make(number, request)
                guard inPieces, let bytes = response.body.buffered else { return response }
                let pipe = BodyPipe()
                for byte in bytes { pipe.offer(Data([byte])) }
                pipe.finish()
                response.body = ResponseBody(length: Int64(bytes.count), source: pipe)
                return response
            }
        )
    }

    /// Responds with the bytes that the test writes into a pipe. The response may be used again for a minute.
    func respond(from pipe: BodyPipe, length: Int64? = nil) {
        respond { _, _ in
            let body = ResponseBody(length: length, source: pipe)
            return HTTPResponse(status: .ok, headers: ["Cache-Control": "max-age=60"], body: body)
        }
    }

    /// Begins a call, and reads its response.
    func get(
        _ headers: HTTPHeaders = [:],
        isStreamed: Bool = false,
        policy: CachePolicy? = nil,
        principal: Principal? = nil,
        priority: TaskPriority = .medium,
        timeout: Duration? = nil,
        timeouts: Timeouts? = nil
    ) -> Task<Got, any Error> {
        let client = client
        let options = CallOptions(
            priority: priority,
            timeout: timeout,
            timeouts: timeouts,
            delivery: isStreamed ? .streamed : .buffered(upTo: 1 << 20),
            principal: principal,
            cachePolicy: policy
        )
        return Task {
            let response = try await client.send(HTTPRequest(.get, "/x", headers: headers), options: options)
            let status = response.headers["Cache-Status"] ?? ""
            return Got(text: try await response.body.text(upTo: 1 << 20), status: status)
        }
    }

    /// Begins a streamed call whose body the test reads.
    func response(timeout: Duration? = nil) -> Task<HTTPResponse, any Error> {
        let (client, options) = (client, CallOptions(timeout: timeout, delivery: .streamed))
        return Task { try await client.send(HTTPRequest(.get, "/x"), options: options) }
    }

    /// Waits until a number of exchanges have reached the server, in an order that the test decides by waiting.
    func waitForExchanges(_ count: Int) async throws {
        try await waitUntil { lastNumber.withLock { $0 } >= count }
    }

    /// Waits until one call's exchange has begun and others wait for it.
    func waitForCalls(waiting count: Int) async throws {
        try await waitUntil { cache.flights.count > 0 && cache.flights.waitingCount == count }
    }

    func expectNothingLeft(_ location: SourceLocation = #_sourceLocation) {
        #expect(cache.flights.count == 0, sourceLocation: location)
        #expect(cache.flights.gatheredBytes == 0, sourceLocation: location)
        #expect(client.activeCallCount == 0, sourceLocation: location)
    }
}

extension [Task<SharingClient.Got, any Error>] {
    /// The results of all calls, in order.
    func values() async throws -> [SharingClient.Got] {
        var values: [SharingClient.Got] = []
        for task in self { values.append(try await task.value) }
        return values
    }
}
