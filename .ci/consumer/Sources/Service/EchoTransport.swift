import NetKit

/// A user's own transport, which responds with the request, in one piece or in several.
public struct EchoTransport: Transport {
    private let pieceSize: Int

    public init(pieceSize: Int = 4) {
        self.pieceSize = pieceSize
    }

    public var summary: String { "echo" }

    public func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
        context.attempt.noteConnecting()
        var received = Data()
        if let body = request.body {
            context.attempt.noteSending()
            for try await chunk in body.chunks { received += chunk }
        }
        let response = Data("\(request.method) \(request.url.path()) ".utf8) + received
        context.attempt.noteAnswered()
        if let limit = context.delivery.maxBufferedBytes {
            guard response.count <= limit else {
                throw NetKitError(.bodyTooLarge, "The echo has \(response.count) bytes.", outcome: .answered)
            }
            return HTTPResponse(status: .ok, body: ResponseBody(response))
        }
        let pipe = BodyPipe(maxBytes: pieceSize)
        Task {
            do {
                for start in stride(from: 0, to: response.count, by: pieceSize) {
                    try await pipe.write(response[start..<min(start + pieceSize, response.count)])
                }
                pipe.finish(trailers: ["X-Pieces": "\((response.count + pieceSize - 1) / pieceSize)"])
            } catch {
                pipe.fail(error)
            }
        }
        return HTTPResponse(status: .ok, body: ResponseBody(length: Int64(response.count), source: pipe))
    }
}
