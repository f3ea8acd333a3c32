#if os(Linux)
    import Foundation
    import NetKit
    import NetKitTesting
    import NetKitTestSupport
    import Testing

    /// Tests specific to `CurlTransport`. The conformance cases cover the behavior of every transport.
    @Suite(.needsTheMachine)
    struct CurlTransportTests {
        /// libcurl 7.88 writes to memory that it has freed when such a response arrives on a handle that was used
        /// before; the address sanitizer shows it.
        @Test func aHeadThatBeginsFoldedHarmsNothing() async throws {
            let server = try MockServer()
            server.on(.get, "/", .text("ok").header("X-Long", String(repeating: "x", count: 60)))
            server.on(.get, "/folded", .raw("HTTP/1.1 200 OK\r\n folded\r\nContent-Length: 2\r\n\r\nok"))
            let client = HTTPClient(baseURL: server.baseURL, transport: try CurlTransport(), interceptors: [])
            let options = CallOptions(delivery: .buffered(upTo: 10))
            for _ in 0..<20 {
                #expect(try await client.send(HTTPRequest(.get, "/"), options: options).status == 200)
                let error = await #expect(throws: NetKitError.self) {
                    try await client.send(HTTPRequest(.get, "/folded"), options: options)
                }
                #expect(error?.code == .invalidResponse)
            }
            #expect(server.requests.count == 40)
        }

        @Test func fieldsArriveAsTheServerMayReadThem() async throws {
            let server = try MockServer()
            server.on(.put, "/", .text("ok"))
            server.on(.get, "/", .text("ok"))
            let client = HTTPClient(baseURL: server.baseURL, transport: try CurlTransport(), interceptors: [])
            let fields: HTTPHeaders = ["Expect": "100-continue", "X-Blank": " \t"]
            _ = try await client.send(HTTPRequest(.put, "/", headers: fields, body: .text("hello")))
            _ = try await client.send(HTTPRequest(.get, "/", headers: ["Range": "bytes=0-1"]))
            let requests = server.requests
            // After a 417, libcurl would send the request again by itself.
            #expect(requests.first?.headers["Expect"] == nil)
            #expect(requests.first?.headers["X-Blank"] == "")
            // A part of an encoded body cannot be decoded.
            #expect(requests.last?.headers["Accept-Encoding"] == nil)
        }

        /// A server may read only the first of two `Cookie` fields (RFC 6265, section 5.4).
        @Test func cookiesArriveInOneField() async throws {
            let server = try MockServer()
            server.on(.get, "/", .text("ok"))
            let client = HTTPClient(baseURL: server.baseURL, transport: try CurlTransport(), interceptors: [])
            let fields: HTTPHeaders = ["Cookie": "a=1", "X-Trace": "t", "cookie": "b=2"]
            _ = try await client.send(HTTPRequest(.get, "/", headers: fields))
            #expect(server.requests.first?.headers.values(of: "Cookie") == ["a=1; b=2"])
            #expect(server.requests.first?.headers.values(of: "X-Trace") == ["t"])
        }

        /// libcurl refuses it with the code for a line of a response that is too large.
        @Test func aRequestWithTooLargeAHeadIsNotSent() async throws {
            let server = try MockServer()
            server.on(.get, "/", .text("ok"))
            let client = HTTPClient(baseURL: server.baseURL, transport: try CurlTransport(), interceptors: [])
            let fields: HTTPHeaders = ["X-Large": String(repeating: "x", count: 2 << 20)]
            let error = await #expect(throws: NetKitError.self) {
                try await client.send(HTTPRequest(.get, "/", headers: fields))
            }
            #expect(error?.code == .invalidRequest)
            #expect(error?.outcome == .notSent)
            #expect(server.requests.isEmpty)
        }

        @Test(arguments: ["/no/such/library.so", "/etc/hostname", "libz.so.1"])
        func aForeignLibraryIsRefusedWithTheReason(_ path: String) {
            let error = #expect(throws: NetKitError.self) { try CurlTransport(library: path) }
            #expect(error?.code == .unsupported)
            #expect(error?.message.contains(path) == true)
        }

        @Test func aCustomLibraryIsUsed() async throws {
            let server = try MockServer()
            server.on(.get, "/", .text("ok"))
            let client = HTTPClient(transport: try CurlTransport(library: "libcurl.so.4"), interceptors: [])
            #expect(try await client.send(HTTPRequest(.get, server.url("/"))).body.text(upTo: 10) == "ok")
        }

        /// In a process of its own, so that all threads and descriptors belong to the test.
        @Test(.inAProcessOfItsOwn) func nothingOutlivesTheTransport() async {
            await #expect(processExitsWith: .success) {
                let server = try MockServer()
                server.on(.get, "/", .text("ok"))
                func useATransport() async throws {
                    let client = HTTPClient(baseURL: server.baseURL, transport: try CurlTransport(), interceptors: [])
                    for _ in 0..<3 { _ = try await client.send(HTTPRequest(.get, "/")).body.text(upTo: 10) }
                    // Otherwise, the count below would show nothing.
                    guard try OwnProcess.counts().loops > 0 else { exit(EXIT_FAILURE) }
                    _ = client.activeCallCount
                }
                try await useATransport()
                await server.waitForOpenConnections(0)
                // The first sleep of a process opens a descriptor for its timer.
                try await Task.sleep(for: .milliseconds(20))
                let before = try OwnProcess.counts()
                for _ in 0..<10 { try await useATransport() }
                await server.waitForOpenConnections(0)
                let after = try await OwnProcess.settled { $0.loops == 0 && $0.descriptors <= before.descriptors }
                #expect(after.loops == 0)
                #expect(after.descriptors <= before.descriptors)
                exit(after.loops == 0 && after.descriptors <= before.descriptors ? EXIT_SUCCESS : EXIT_FAILURE)
            }
        }

        @Test func theConnectedAddressIsJudgedBeforeAnythingIsSent() async throws {
            let server = try MockServer()
            server.on(.get, "/", .text("ok"))
            var configuration = HTTPClient.Configuration()
            // The name resolves to a harmless address, and the connection goes elsewhere.
            configuration.addressGuard = AddressGuard(resolve: { _ in ["93.184.216.34"] })
            var curl = CurlTransport.Configuration()
            curl.addressOverrides = ["api.example": "127.0.0.1"]
            let client = HTTPClient(
                transport: try CurlTransport(configuration: curl),
                interceptors: [],
                configuration: configuration
            )
            let error = await #expect(throws: NetKitError.self) {
                try await client.send(HTTPRequest(.get, "http://api.example:\(server.port)/"))
            }
            #expect(error?.code == .addressRefused)
            #expect(error?.outcome == .notSent)
            #expect(server.connectionCount == 0)
        }

        /// It uses the handle of the first call, but libcurl never has it: the proxy takes none of the addresses.
        @Test func aCallThatNeverReachesLibcurlHasNoTimesOfAnother() async throws {
            let server = try MockServer()
            server.on(.get, "/", .text("ok"))
            let proxy = try #require(URL(string: "socks4://127.0.0.1:9"))
            let client = try HTTPClient.curl {
                $0.addressOverrides = ["api.example": "::1"]
                $0.proxy = .url(proxy, exceptHosts: ["127.0.0.1"])
            }
            let options = CallOptions(delivery: .buffered(upTo: 10))
            let first = try await client.send(HTTPRequest(.get, "http://127.0.0.1:\(server.port)/"), options: options)
            #expect(first.timings.remoteAddress == "127.0.0.1")
            let error = await #expect(throws: NetKitError.self) {
                try await client.send(HTTPRequest(.get, "http://api.example/"), options: options)
            }
            #expect(error?.code == .dns)
            let timings = try #require(error?.timings)
            #expect(timings.total != nil)
            #expect(timings.remoteAddress == nil)
            #expect(timings.connected == nil)
            #expect(timings.firstByte == nil)
            #expect(timings.protocolVersion == nil)
        }

        @Test(arguments: ["gzip", "deflate", "br", "zstd"])
        func codingsAreAskedFor(_ coding: String) async throws {
            let server = try MockServer()
            server.on(.get, "/", .text("ok"))
            let client = HTTPClient(baseURL: server.baseURL, transport: try CurlTransport(), interceptors: [])
            _ = try await client.send(HTTPRequest(.get, "/"))
            #expect(server.requests.first?.headers["Accept-Encoding"]?.contains(coding) == true)
        }

        @Test func aBombEndsAsTooLarge() async throws {
            let server = try MockServer()
            server.on(.get, "/", .gzipBomb(decodedSize: 200 << 20))
            let client = HTTPClient(baseURL: server.baseURL, transport: try CurlTransport(), interceptors: [])
            let error = await #expect(throws: NetKitError.self) {
                try await client.send(
                    HTTPRequest(.get, "/"),
                    options: CallOptions(delivery: .buffered(upTo: 1 << 20))
                )
            }
            #expect(error?.code == .bodyTooLarge)
        }

        @Test func decodingCanBeTurnedOff() async throws {
            let server = try MockServer()
            server.on(.get, "/", .gzip(Data("hello".utf8)))
            var configuration = CurlTransport.Configuration()
            configuration.decodesContent = false
            let client = HTTPClient(
                baseURL: server.baseURL,
                transport: try CurlTransport(configuration: configuration),
                interceptors: []
            )
            let response = try await client.send(HTTPRequest(.get, "/"))
            #expect(response.headers["Content-Encoding"] == "gzip")
            #expect(try await response.body.collect(upTo: 1000).prefix(2) == Data([0x1F, 0x8B]))
            #expect(server.requests.first?.headers["Accept-Encoding"] == nil)
        }

        /// A server may store a file with a coding, and sends a part of the encoded file then.
        @Test func aPartOfAnEncodedBodyIsDeliveredAsItIs() async throws {
            let server = try MockServer()
            let part = Data([0x1F, 0x8B, 8, 0, 0])
            let reply = ServerReply.data(part, status: .partialContent).header("Content-Range", "bytes 0-4/100")
            server.on(.get, "/", reply.header("Content-Encoding", "gzip"))
            let client = HTTPClient(baseURL: server.baseURL, transport: try CurlTransport(), interceptors: [])
            let response = try await client.send(HTTPRequest(.get, "/", headers: ["Range": "bytes=0-4"]))
            #expect(response.headers["Content-Encoding"] == "gzip")
            #expect(try await response.body.collect(upTo: 100) == part)
        }
    }
#endif
