import Foundation
import NetKit

/// The declarations of AsyncHTTPClient and SwiftNIO that the bridge uses.
enum AsyncHTTPClient {
    struct ByteBuffer: Sendable {
        var bytes: [UInt8]

        init(bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

        var readableBytesView: [UInt8] { bytes }
    }

    struct NIODeadline: Sendable {
        static let distantFuture = NIODeadline()
    }

    struct Headers: Sendable, Sequence {
        private var fields: [(name: String, value: String)] = []

        mutating func add(name: String, value: String) { fields.append((name, value)) }

        func makeIterator() -> IndexingIterator<[(name: String, value: String)]> { fields.makeIterator() }
    }

    enum Method: Sendable {
        // Its name in SwiftNIO.
        // swift-format-ignore: AlwaysUseLowerCamelCase
        case RAW(value: String)
    }

    struct HTTPClientRequest: Sendable {
        enum Length: Sendable {
            case unknown
            case known(Int64)
        }

        struct Body: Sendable {
            let chunks: AsyncThrowingStream<ByteBuffer, any Error>
            let length: Length

            static func stream<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks, length: Length) -> Body
            where Chunks.Element == ByteBuffer {
                Body(chunks: AsyncThrowingStream(reading: chunks), length: length)
            }
        }

        let url: String
        var method = Method.RAW(value: "GET")
        var headers = Headers()
        var body: Body?

        init(url: String) { self.url = url }
    }

    struct HTTPClientResponse: Sendable {
        struct Status: Sendable {
            let code: UInt
        }

        let status: Status
        let headers: Headers
        let body: AsyncThrowingStream<ByteBuffer, any Error>
    }

    struct Client: Sendable {
        let respond: @Sendable (HTTPClientRequest) async throws -> HTTPClientResponse

        func execute(_ request: HTTPClientRequest, deadline: NIODeadline) async throws -> HTTPClientResponse {
            try await respond(request)
        }
    }
}

extension AsyncHTTPClient {
    // GUIDE: begin
    struct AsyncHTTPTransport: Transport {
        let client: Client

        func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
            var outgoing = HTTPClientRequest(url: request.url.absoluteString)
            outgoing.method = .RAW(value: request.method.rawValue)
            for field in request.headers { outgoing.headers.add(name: field.name, value: field.value) }
            if let body = request.body {
                let chunks = body.chunks.map { ByteBuffer(bytes: $0) }
                outgoing.body = .stream(chunks, length: body.length.map { .known($0) } ?? .unknown)
            }
            let reply = try await client.execute(outgoing, deadline: .distantFuture)
            context.attempt.noteAnswered()
            var headers = HTTPHeaders()
            for field in reply.headers { headers.add(field.name, field.value) }
            let body = ResponseBody(chunks: reply.body.map { Data($0.readableBytesView) })
            return HTTPResponse(status: HTTPStatus(Int(reply.status.code)), headers: headers, body: body)
        }
    }
    // GUIDE: end
}
