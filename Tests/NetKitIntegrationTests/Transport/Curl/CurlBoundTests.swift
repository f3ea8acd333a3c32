#if os(Linux)
    import Foundation
    import NetKit
    import NetKitTesting
    import NetKitTestSupport
    import Testing

    /// Tests that endless repetitions of a server, and characters that no field may have, end a call.
    @Suite(.needsTheMachine)
    struct CurlBoundTests {
        private static let deliveries: [Delivery] = [.buffered(upTo: 1 << 20), .streamed]

        private let server: MockServer
        private let client: HTTPClient

        init() throws {
            server = try MockServer()
            var configuration = HTTPClient.Configuration()
            configuration.timeouts = .none
            client = HTTPClient(transport: try CurlTransport(), interceptors: [], configuration: configuration)
        }

        private func failure(_ reply: ServerReply, _ delivery: Delivery) async throws -> NetKitError {
            server.on(.get, "/", reply)
            let error = await #expect(throws: NetKitError.self) {
                let options = CallOptions(delivery: delivery)
                let response = try await client.send(HTTPRequest(.get, server.url("/")), options: options)
                _ = try await response.body.collect(upTo: 1 << 20)
            }
            return try #require(error)
        }

        @Test(
            arguments: [
                (ServerReply.endlessHeaders, "head is larger than 256 KiB"),
                (.endlessHeaderLine, "larger than libcurl takes"),
                (.endlessInformational, "more than 64 informational responses"),
                (.endlessTrailers, "trailers are larger than 64 KiB"),
            ],
            deliveries
        )
        func nothingIsRepeatedWithoutEnd(_ row: (reply: ServerReply, problem: String), _ delivery: Delivery)
            async throws
        {
            let error = try await failure(row.reply, delivery)
            #expect(error.code == .invalidResponse)
            #expect(error.message.contains(row.problem), "\(error.message)")
            await server.waitForOpenConnections(0)
            #expect(server.sentByteCount < 16 << 20)
        }

        @Test(arguments: [0x01, 0x08, 0x0B, 0x0D, 0x1B, 0x7F] as [UInt8], [true, false])
        func aControlCharacterIsRefused(_ byte: UInt8, isTrailer: Bool) async throws {
            let line = Data("X-Bad: a".utf8) + [byte] + Data("b".utf8)
            let start = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n"
            let reply: ServerReply =
                isTrailer
                ? .raw(Data(start.utf8) + line + Data("\r\n\r\n".utf8)) : .text("hello").rawHeaderLine(line)
            for delivery in Self.deliveries {
                let error = try await failure(reply, delivery)
                #expect(error.code == .invalidResponse)
                #expect(error.outcome == .answered)
                // libcurl refuses a CR between trailers by itself.
                if !isTrailer || byte != 0x0D { #expect(error.message.contains("control character")) }
            }
        }

        @Test func aTabIsNone() async throws {
            server.on(.get, "/", .text("hello").rawHeaderLine("X-Tab: a\tb"))
            let response = try await client.send(HTTPRequest(.get, server.url("/")), options: CallOptions())
            #expect(response.headers["X-Tab"] == "a\tb")
        }
    }
#endif
