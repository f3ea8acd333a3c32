import Foundation
import NetKit
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct ResponseInterceptorTests {
    /// Takes the `data` out of an envelope.
    private struct Unwrap: ResponseInterceptor {
        func intercept(_ response: HTTPURLResponse, data: Data) async throws -> Data {
            Data(data.dropFirst(2).dropLast(2))
        }
    }

    private struct Rewriting: ResponseInterceptor {
        let make: @Sendable (HTTPURLResponse, Data) throws -> Data

        func intercept(_ response: HTTPURLResponse, data: Data) async throws -> Data { try make(response, data) }
    }

    /// Both simple forms in one type.
    private struct Envelope: RequestInterceptor, ResponseInterceptor {
        let log: EventLog

        func intercept(_ request: URLRequest) async throws -> URLRequest {
            log.add("request \(request.httpMethod ?? "")")
            var request = request
            request.httpBody = request.httpBody.map { Data("<<".utf8) + $0 + Data(">>".utf8) }
            return request
        }

        func intercept(_ response: HTTPURLResponse, data: Data) async throws -> Data {
            log.add("response \(response.statusCode)")
            return Data(data.dropFirst(2).dropLast(2))
        }
    }

    private struct Refusal: Error, Equatable {}

    private let url: URL
    private let transport = MockTransport()

    init() throws {
        url = try #require(URL(string: "https://api.example.com/x"))
    }

    private func client(_ list: InterceptorList) -> HTTPClient {
        HTTPClient(transport: transport, interceptors: list)
    }

    private func buffered(_ limit: Int = 1000) -> CallOptions { CallOptions(delivery: .buffered(upTo: limit)) }

    @Test func changesTheBodyOfABufferedCall() async throws {
        let stub = MockResponse.text("<<inner>>", status: 201).header("X-A", "1").header("Set-Cookie", "a=1")
        transport.stub(.get, "/x", stub.header("Set-Cookie", "b=2"))
        let response = try await client([Unwrap()]).send(HTTPRequest(.get, url), options: buffered())
        #expect(response.body.buffered == Data("inner".utf8))
        #expect(response.status == 201)
        #expect(response.headers["X-A"] == "1")
        #expect(response.headers.values(of: "Set-Cookie") == ["a=1", "b=2"])
        #expect(response.url == url)
    }

    /// A slice has the indices of the whole, and the caller's `data[0]` would trap.
    @Test func theBytesOfASliceBeginAtZero() async throws {
        transport.stub(.get, "/x", .text("<<inner"))
        let slicing = Rewriting { _, data in data.dropFirst(2) }
        let response = try await client([slicing]).send(HTTPRequest(.get, url), options: buffered())
        let data = try await response.data()
        #expect(data == Data("inner".utf8))
        #expect(data.startIndex == 0)
    }

    @Test func convertsTheResponseToFoundation() async throws {
        transport.stub(.get, "/x", .text("body", status: 404).header("X-A", "1").header("x-a", "2"))
        let seen = Locked<[String]>([])
        let rewriting = Rewriting { response, data in
            let head = [
                "\(response.statusCode)", response.url?.absoluteString ?? "",
                response.value(forHTTPHeaderField: "X-A") ?? "", String(decoding: data, as: UTF8.self),
            ]
            seen.withLock { $0 = head }
            return data
        }
        _ = try await client([rewriting]).send(HTTPRequest(.get, url), options: buffered())
        #expect(seen.withLock { $0 } == ["404", "https://api.example.com/x", "1, 2", "body"])
    }

    @Test func collectsABodyThatArrivesInPieces() async throws {
        let trailers: HTTPHeaders = ["X-Checksum": "7"]
        transport.stub(.get, "/x", .stream([Data("<<in".utf8), Data("ner>>".utf8)], trailers: trailers))
        let response = try await client([Unwrap()]).send(HTTPRequest(.get, url), options: buffered())
        #expect(response.body.buffered == Data("inner".utf8))
        #expect(response.trailers == trailers)
    }

    @Test func aStreamedCallIsRefusedBeforeAnythingIsSent() async throws {
        transport.stub(.get, "/x", .status(200))
        let error = await #expect(throws: NetKitError.self) {
            try await client([Unwrap()]).send(HTTPRequest(.get, url), options: CallOptions(delivery: .streamed))
        }
        #expect(error?.code == .invalidRequest)
        #expect(
            error?.message == "Unwrap needs the whole body, but this call streams it. "
                + "Adopt Interceptor instead of ResponseInterceptor, or use a buffered delivery."
        )
        #expect(error?.outcome == .notSent)
        #expect(transport.requests.isEmpty)
    }

    @Test func theBoundHoldsForWhatItReturns() async throws {
        transport.stub(.get, "/x", .text("12345"))
        let growing = Rewriting { _, data in data + data }
        let whole = try await client([growing]).send(HTTPRequest(.get, url), options: buffered(10))
        #expect(whole.body.buffered == Data("1234512345".utf8))
        let error = await #expect(throws: NetKitError.self) {
            try await client([growing]).send(HTTPRequest(.get, url), options: buffered(9))
        }
        #expect(error?.code == .bodyTooLarge)
        #expect(error?.outcome == .answered)
    }

    @Test func theBoundHoldsForWhatArrives() async throws {
        transport.stub(.get, "/x", .text("12345"))
        let error = await #expect(throws: NetKitError.self) {
            try await client([Unwrap()]).send(HTTPRequest(.get, url), options: buffered(4))
        }
        #expect(error?.code == .bodyTooLarge)
    }

    @Test func aResponseFromAboveTheWireIsBufferedToo() async throws {
        let cache = StagedInterceptor(.cache) { _, _, _ in
            let chunks = AsyncThrowingStream<Data, any Error> { continuation in
                continuation.yield(Data("<<cached>>".utf8))
                continuation.finish()
            }
            return HTTPResponse(status: 200, body: ResponseBody(chunks: chunks))
        }
        let response = try await client([Unwrap(), cache]).send(HTTPRequest(.get, url), options: buffered())
        #expect(response.body.buffered == Data("cached".utf8))
    }

    @Test func aTypeMayBeBoth() async throws {
        transport.stub(.post, "/x", body: { $0 == Data("<<ping>>".utf8) }, .text("<<pong>>", status: 202))
        let log = EventLog()
        let request = HTTPRequest(.post, url, body: .text("ping"))
        let response = try await client([Envelope(log: log)]).send(request, options: buffered())
        #expect(response.body.buffered == Data("pong".utf8))
        #expect(log.all == ["request POST", "response 202"])
    }

    @Test func aTypeThatIsBothIsRefusedOnStreamedCalls() async throws {
        let error = await #expect(throws: NetKitError.self) {
            try await client([Envelope(log: EventLog())]).send(HTTPRequest(.get, url))
        }
        #expect(error?.code == .invalidRequest)
        #expect(transport.requests.isEmpty)
    }

    @Test func itsErrorIsTheCauseForTheCaller() async throws {
        transport.stub(.get, "/x", .text("body"))
        let error = await #expect(throws: NetKitError.self) {
            try await client([Rewriting { _, _ in throw Refusal() }])
                .send(HTTPRequest(.get, url), options: buffered())
        }
        #expect(error?.code == .custom)
        #expect(error?.cause as? Refusal == Refusal())
        #expect(error?.outcome == .answered)
    }

    @Test func severalRunFromTheWireOutwards() async throws {
        transport.stub(.get, "/x", .text("x"))
        let list: InterceptorList = [
            Rewriting { _, data in data + Data("outer".utf8) }, Rewriting { _, data in data + Data("inner-".utf8) },
        ]
        let response = try await client(list).send(HTTPRequest(.get, url), options: buffered())
        #expect(response.body.buffered == Data("xinner-outer".utf8))
    }
}
