import Foundation
import NetKit

/// What swift-openapi-runtime and swift-http-types declare, as far as the bridge uses it.
enum OpenAPIRuntime {
    enum HTTPTypes {
        struct Field: Sendable {
            struct Name: Sendable {
                let rawName: String

                init?(_ name: String) { rawName = name }
            }

            let name: Name
            let value: String
        }

        struct Fields: Sendable, Sequence {
            private var fields: [Field] = []

            mutating func append(_ field: Field) { fields.append(field) }

            func makeIterator() -> IndexingIterator<[Field]> { fields.makeIterator() }
        }

        struct HTTPRequest: Sendable {
            struct Method: Sendable {
                let rawValue: String
            }

            var method: Method
            var path: String?
            var headerFields = Fields()
        }

        struct HTTPResponse: Sendable {
            struct Status: Sendable {
                let code: Int
            }

            var status: Status
            var headerFields = Fields()
        }
    }

    struct HTTPBody: Sendable {
        enum Length: Sendable {
            case unknown
            case known(Int64)
        }

        let chunks: AsyncThrowingStream<ArraySlice<UInt8>, any Error>
        let length: Length

        init<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks, length: Length)
        where Chunks.Element == ArraySlice<UInt8> {
            self.chunks = AsyncThrowingStream(reading: chunks)
            self.length = length
        }

        func map<Element: Sendable>(
            _ transform: @escaping @Sendable (ArraySlice<UInt8>) -> Element
        ) -> AsyncMapSequence<AsyncThrowingStream<ArraySlice<UInt8>, any Error>, Element> {
            chunks.map { transform($0) }
        }
    }

    protocol ClientTransport: Sendable {
        func send(
            _ request: HTTPTypes.HTTPRequest,
            body: HTTPBody?,
            baseURL: URL,
            operationID: String
        ) async throws -> (HTTPTypes.HTTPResponse, HTTPBody?)
    }
}

extension OpenAPIRuntime {
    // GUIDE: begin
    struct NetKitClientTransport: ClientTransport {
        let client: HTTPClient

        func send(
            _ request: HTTPTypes.HTTPRequest,
            body: HTTPBody?,
            baseURL: URL,
            operationID: String
        ) async throws -> (HTTPTypes.HTTPResponse, HTTPBody?) {
            guard let url = URL(string: baseURL.absoluteString + (request.path ?? "")) else {
                throw URLError(.badURL)
            }
            var outgoing = NetKit.HTTPRequest(HTTPMethod(request.method.rawValue), url)
            for field in request.headerFields { outgoing.headers.add(field.name.rawName, field.value) }
            if let body { outgoing.body = .stream(body.map { Data($0) }) }
            let response = try await client.send(outgoing)
            var head = HTTPTypes.HTTPResponse(status: .init(code: response.status.code))
            for field in response.headers {
                guard let name = HTTPTypes.Field.Name(field.name) else { continue }
                head.headerFields.append(.init(name: name, value: field.value))
            }
            let length = response.body.length.map { HTTPBody.Length.known($0) } ?? .unknown
            return (head, HTTPBody(response.body.map { ArraySlice($0) }, length: length))
        }
    }
    // GUIDE: end
}
