import NetKit
import NetKitTesting

/// A transport that shows every request to the checker before it is sent.
struct IdentityWire: Transport {
    static let header = "X-Call"
    static let laneHeader = "X-Lane"

    let judge: IdentityJudge
    let transport: SimulatedTransport

    func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
        if context.attempt.number > 1 { judge.count(.retry) }
        let isReplay = context.tags[QueuedReplay.self] != nil
        if isReplay { judge.count(.replay) }
        if let call = request.headers[Self.header].flatMap(Int.init) {
            judge.sent(call, credentialOf: IdentityServer.user(of: request), isReplay: isReplay)
        }
        let response = try await transport.send(request, context: context)
        if response.status.isSuccess, let lane = request.headers[Self.laneHeader],
            let call = request.headers[Self.header].flatMap(Int.init), let login = IdentityServer.login(of: request)
        {
            judge.accepted(call, in: lane, under: login)
        }
        return response
    }
}

/// Writes the number of its call into each request, unless a request of the offline queue has it already.
struct IdentityMark: Interceptor {
    @TaskLocal static var call: Int?

    var stage: Stage { .observe }

    func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        guard let call = Self.call, !request.headers.contains(IdentityWire.header) else {
            return try await next(request, context)
        }
        var request = request
        request.headers[IdentityWire.header] = "\(call)"
        return try await next(request, context)
    }
}
