import Foundation
import NetKit
import NetKitTesting

/// A base URL that no test ever reaches.
let exampleBase = URL(string: "https://api.example.com/v1")

/// An interceptor at any stage that waits until it is cancelled, and counts the calls inside.
final class Waiting: Interceptor {
    let stage: Stage
    private let state = Locked((entered: 0, left: 0))
    private let gate = MockTransport()

    init(at stage: Stage) {
        self.stage = stage
        gate.stub(nil, "**", .stalled)
    }

    var counts: (entered: Int, left: Int) { state.withLock { $0 } }

    /// Waits until a number of calls has arrived here.
    func waitForArrivals(_ count: Int) async { await gate.waitForRequests(count) }

    func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        state.withLock { $0.entered += 1 }
        defer { state.withLock { $0.left += 1 } }
        _ = try await gate.send(request, context: context)
        return try await next(request, context)
    }
}

/// An interceptor made from a function.
struct Intercepting: Interceptor {
    var stage = Stage.call
    let body: @Sendable (HTTPRequest, RequestContext, Next) async throws -> HTTPResponse

    func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        try await body(request, context, next)
    }
}

/// The result of a task, for comparing.
func outcome<Success: Sendable>(of task: Task<Success, any Error>) async -> String {
    switch await task.result {
    case .success: "success"
    case .failure(is CancellationError): "cancelled"
    case .failure(let error as NetKitError): "\(error.code)"
    case .failure(let error): "\(error)"
    }
}
