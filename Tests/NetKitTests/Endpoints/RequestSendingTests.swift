import Foundation
import NetKit
import Testing

/// Tests that a user's own stand-in has the typed calls too.
@Suite(.timeLimit(.minutes(5)))
struct RequestSendingTests {
    private struct StandIn: RequestSending {
        let respond: @Sendable (HTTPRequest, CallOptions) throws -> HTTPResponse

        func send(_ request: HTTPRequest, options: CallOptions) async throws -> HTTPResponse {
            try respond(request, options)
        }
    }

    private struct User: Codable, Equatable, Sendable {
        var id: Int
    }

    @Test func theUpdatesOfAnUploadEndOverAStandIn() async throws {
        let updates = TransferUpdates()
        let sender = StandIn { _, _ in HTTPResponse(status: .noContent) }
        try await sender.upload(.text("x"), to: "/files", options: CallOptions(progress: updates))
        var last: TransferProgress?
        for await progress in updates { last = progress }
        #expect(last?.isFinished == true)
    }

    /// Code under test that takes anything that sends.
    private func user(_ id: Int, over sender: some RequestSending) async throws -> User {
        try await sender.send(.get("/users/\(id)"))
    }

    @Test func typedCallsComeForFree() async throws {
        let sender = StandIn { request, _ in
            #expect(request.method == .get)
            #expect(request.url.absoluteString == "/users/7")
            #expect(request.headers == ["Accept": "application/json"])
            return HTTPResponse(status: 200, body: ResponseBody(Data(#"{"id":7}"#.utf8)))
        }
        #expect(try await user(7, over: sender) == User(id: 7))
        let any: any RequestSending = sender
        #expect(try await user(7, over: any) == User(id: 7))
    }

    @Test func theDefaultLimitsHold() async throws {
        let sender = StandIn { _, options in
            #expect(options.delivery == .buffered(upTo: 64 << 20))
            #expect(options.timeout == .seconds(3))
            return HTTPResponse(status: 500, body: ResponseBody(Data(count: (64 << 10) + 1)))
        }
        var endpoint: Endpoint<Void> = .get("/a")
        endpoint.timeout = .seconds(3)
        let given = endpoint
        let error = await #expect(throws: NetKitError.self) { try await sender.send(given) }
        #expect(error?.code == .server)
        #expect(error?.response?.body.count == 64 << 10)
        #expect(error?.response?.isTruncated == true)
    }

    @Test func aSenderMayHaveSettingsOfItsOwn() async throws {
        struct Key: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }

            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }
        struct Strict: RequestSending {
            let payloadSettings = PayloadSettings(
                maxBufferedBytes: 8,
                maxErrorBodyBytes: 3,
                json: JSONCoder {
                    JSONEncoder()
                } decoder: {
                    let decoder = JSONDecoder()
                    decoder.keyDecodingStrategy = .custom { path in
                        Key(stringValue: path.last?.stringValue == "ID" ? "id" : "other")
                    }
                    return decoder
                }
            )
            let body: String
            var status = HTTPStatus.ok

            func send(_ request: HTTPRequest, options: CallOptions) async throws -> HTTPResponse {
                #expect(options.delivery == .buffered(upTo: 8))
                return HTTPResponse(status: status, body: ResponseBody(Data(body.utf8)))
            }
        }
        #expect(try await user(7, over: Strict(body: #"{"ID":7}"#)) == User(id: 7))
        let long = await #expect(throws: NetKitError.self) { try await user(7, over: Strict(body: #"{"id": 7}"#)) }
        #expect(long?.code == .bodyTooLarge)
        let refused = await #expect(throws: NetKitError.self) {
            try await user(7, over: Strict(body: "why not", status: 403))
        }
        #expect(refused?.response?.body == Data("why".utf8))
    }

    @Test func decodingErrorsAreTheSame() async throws {
        let sender = StandIn { _, _ in HTTPResponse(status: 200, body: ResponseBody(Data(#"{"id":"x"}"#.utf8))) }
        let error = await #expect(throws: NetKitError.self) { try await user(7, over: sender) }
        #expect(error?.code == .decoding)
        #expect(error?.codingPath == "id")
    }

    @Test func aPlainRequestNeedsNoOptions() async throws {
        let sender = StandIn { _, options in
            #expect(options.delivery == nil)
            return HTTPResponse(status: 204)
        }
        #expect(try await sender.send(HTTPRequest(.get, "/a")).status == 204)
    }

    @Test func aClientIsOneToo() async throws {
        let transport = MockTransport()
        transport.stub(.get, "/users/*", .json(User(id: 7)))
        let client = HTTPClient(baseURL: URL(string: "https://api.example.com"), transport: transport)
        #expect(try await user(7, over: client) == User(id: 7))
    }
}
