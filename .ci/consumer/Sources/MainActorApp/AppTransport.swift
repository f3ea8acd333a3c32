import NetKit

/// A transport of the app's own, for previews.
public struct PreviewTransport: Transport {
    public init() {}

    public func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
        let body = ResponseBody(Data(#"{"id": 1, "nickname": "preview"}"#.utf8))
        return HTTPResponse(status: .ok, headers: ["Content-Type": "application/json"], body: body)
    }
}

/// A stand-in for the client that counts.
///
/// The method says `@MainActor` too: without it, it would take over the isolation of the requirement, which has none.
@MainActor
public final class StandIn: RequestSending {
    public private(set) var requests: [String] = []
    private let response: String

    public init(response: String) {
        self.response = response
    }

    @MainActor
    public func send(_ request: HTTPRequest, options: CallOptions) async throws -> HTTPResponse {
        requests.append("\(request.method) \(request.url)")
        return HTTPResponse(status: .ok, body: ResponseBody(Data(response.utf8)))
    }
}
