import Foundation
import NetKit

/// The clients that a round compares, all over mocks that respond to `GET /users/42` at once.
struct PipelineSetup: Sendable {
    let transport = MockTransport()
    let client: HTTPClient
    /// A client with ten more interceptors, which do nothing.
    let crowded: HTTPClient
    /// A client with an interceptor for which each call gets its own task.
    let foreign: HTTPClient
    /// A client on which other calls wait.
    let busy: HTTPClient
    let request = HTTPRequest(.get, "/users/42", headers: ["Accept": "application/json"])
    let absolute: HTTPRequest
    private let busyTransport = MockTransport()
    private let crowdedTransport = MockTransport()
    private let foreignTransport = MockTransport()

    init() {
        let base = URL(string: "https://api.example.com/v1")
        for transport in [transport, busyTransport, crowdedTransport, foreignTransport] {
            // All mocks have the same stubs, because a mock compares a request with each, the last one first.
            transport.stub(.get, "/parked", .stalled)
            transport.stub(.get, "/users/42", .data(Data("{\"id\":42}".utf8)))
        }
        client = HTTPClient(baseURL: base, transport: transport)
        busy = HTTPClient(baseURL: base, transport: busyTransport)
        let noOps = InterceptorList((0..<10).map { _ in NoOp() })
        crowded = HTTPClient(baseURL: base, transport: crowdedTransport, interceptors: .standard + noOps)
        foreign = HTTPClient(baseURL: base, transport: foreignTransport, interceptors: .standard + [Foreign()])
        absolute = HTTPRequest(
            .get,
            "https://api.example.com/users/42",
            headers: ["Accept": "application/json"]
        )
    }

    func options() -> CallOptions { CallOptions(delivery: .buffered(upTo: 64 << 20)) }

    /// Removes the requests that the mocks record, because the records must not be measured.
    func forget() {
        for transport in [transport, busyTransport, crowdedTransport, foreignTransport] {
            transport.removeAllRequests()
        }
    }

    /// Leaves calls running on `busy` until the transport is released.
    func parkCalls(_ count: Int) async -> MockTransport {
        for _ in 0..<count {
            Task { [busy] in _ = try? await busy.send(HTTPRequest(.get, "/parked")) }
        }
        await busyTransport.waitForRequests(count)
        return busyTransport
    }
}

/// An interceptor that only passes requests on, in the task of the caller.
struct NoOp: Interceptor, CallBound {
    func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        try await next(request, context)
    }
}

/// An interceptor that only passes requests on, and for which a call gets its own task.
struct Foreign: Interceptor {
    func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        try await next(request, context)
    }
}
