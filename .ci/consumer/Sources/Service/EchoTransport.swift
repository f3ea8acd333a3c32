import NetKit

/// A transport of the user's own: it answers with what it was asked, in one piece or in several.
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
        let answer = Data("\(request.method) \(request.url.path()) ".utf8) + received
        context.attempt.noteAnswered()
        if let limit = context.delivery.maxBufferedBytes {
            guard answer.count <= limit else {
                throw NetKitError(.bodyTooLarge, "The echo has \(answer.count) bytes.", outcome: .answered)
            }
            return HTTPResponse(status: .ok, body: ResponseBody(answer))
        }
        let pipe = BodyPipe(maxBytes: pieceSize)
        Task {
            do {
                for start in stride(from: 0, to: answer.count, by: pieceSize) {
                    try await pipe.write(answer[start..<min(start + pieceSize, answer.count)])
                }
                pipe.finish(trailers: ["X-Pieces": "\((answer.count + pieceSize - 1) / pieceSize)"])
            } catch {
                pipe.fail(error)
            }
        }
        return HTTPResponse(status: .ok, body: ResponseBody(length: Int64(answer.count), source: pipe))
    }
}
