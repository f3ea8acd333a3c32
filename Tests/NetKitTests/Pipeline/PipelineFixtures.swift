@testable import NetKit

/// An interceptor made from a function.
struct StagedInterceptor: InspectableInterceptor {
    typealias Handle = @Sendable (HTTPRequest, RequestContext, Next) async throws -> HTTPResponse

    let stage: Stage
    let summary: String
    private let handle: Handle

    init(_ stage: Stage = .call, summary: String = "StagedInterceptor", _ handle: @escaping Handle) {
        self.stage = stage
        self.summary = summary
        self.handle = handle
    }

    func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        try await handle(request, context, next)
    }

    /// Changes the request and passes it on.
    static func changing(
        _ stage: Stage = .call,
        _ change: @escaping @Sendable (inout HTTPRequest) -> Void
    ) -> StagedInterceptor {
        StagedInterceptor(stage) { request, context, next in
            var request = request
            change(&request)
            return try await next(request, context)
        }
    }

    /// Passes the request on, and records when it goes out and when its response comes back.
    static func logging(_ name: String, _ stage: Stage, to log: EventLog) -> StagedInterceptor {
        StagedInterceptor(stage, summary: name) { request, context, next in
            log.add("\(name) out")
            defer { log.add("\(name) back") }
            return try await next(request, context)
        }
    }
}

/// A transport made from a function.
struct ScriptedTransport: Transport {
    private let handle: @Sendable (HTTPRequest, RequestContext) async throws -> HTTPResponse

    init(_ handle: @escaping @Sendable (HTTPRequest, RequestContext) async throws -> HTTPResponse) {
        self.handle = handle
    }

    func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
        try await handle(request, context)
    }
}

/// A transport with an identity, such as that of its client certificate.
struct IdentityTransport: IdentifiedTransport {
    let identity: String?
    let transport: any Transport

    func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
        try await transport.send(request, context: context)
    }
}

/// The events, in order.
final class EventLog: Sendable {
    private let events = Locked<[String]>([])

    var all: [String] { events.withLock { $0 } }

    func add(_ event: String) {
        events.withLock { $0.append(event) }
    }
}
