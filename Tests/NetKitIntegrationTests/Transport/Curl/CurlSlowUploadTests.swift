#if os(Linux)
    import Foundation
    import NetKit
    import NetKitTesting
    import NetKitTestSupport
    import Testing

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// Requests that take longer than a limit, over a network that takes only so much of them at a time.
    ///
    /// libcurl and the kernel have taken a body of 3 MiB after a third of a second.
    @Suite(.mostlySleeps)
    struct CurlSlowUploadTests {
        private static let size = 3 << 20
        /// The body needs eight seconds.
        private static let rate = 400_000
        private static let receiveBuffer: Int32 = 16 << 10

        enum Source: CaseIterable {
            case memory
            case file
        }

        enum Limit: CaseIterable {
            case idle
            case firstByte

            /// Half of what a body needs, and more than a busy machine lets the network wait.
            var timeouts: Timeouts {
                switch self {
                case .idle: Timeouts(idle: .seconds(4), attempt: nil)
                case .firstByte: Timeouts(firstByte: .seconds(4), idle: nil, attempt: nil)
                }
            }
        }

        @Test(arguments: Limit.allCases, Source.allCases)
        func aBodyThatMovesIsWaitedFor(_ limit: Limit, _ source: Source) async throws {
            let server = try MockServer()
            server.on(.put, "/") { .text("\($0.body.count)") }
            let network = try BreakableProxy(to: server.port, receiveBuffer: Self.receiveBuffer)
            network.set(.slow(bytesPerSecond: Self.rate))
            let folder = try TemporaryFolder()
            let body: HTTPBody =
                switch source {
                case .memory: .data(Data(count: Self.size))
                case .file: .file(at: try folder.write(Data(count: Self.size), to: "body"))
                }
            let response = try await CurlTransport().send(
                HTTPRequest(.put, try #require(URL(string: "http://127.0.0.1:\(network.port)/")), body: body),
                context: .test(timeouts: limit.timeouts)
            )
            #expect(response.body.buffered == Data("\(Self.size)".utf8))
        }

        /// Over TLS, libcurl counts the 512 KiB that it holds after their last byte, which takes eight seconds here.
        /// The kernel holds a tenth of them.
        @Test(.needs(.nginx, .openssl), arguments: Limit.allCases)
        func aBodyThatMovesIsWaitedForOverTLS(_ limit: Limit) async throws {
            let nginx = try await NginxPeer.shared.value
            let network = try BreakableProxy(to: nginx.number(.tls), receiveBuffer: Self.receiveBuffer)
            let client = try HTTPClient.curl {
                $0.tls.roots = .file(nginx.certificates.authority.path())
                $0.httpVersion = .http11
            }
            let base = "https://localhost:\(network.port)"
            let first = try await client.send(HTTPRequest(.get, try #require(URL(string: base + "/kilobyte"))))
            _ = try await first.body.collect(upTo: 2000)
            #expect(try Self.limitSendBuffers(ofConnectionsTo: network.port, to: 32 << 10) == 1)
            network.set(.slow(bytesPerSecond: 60_000))
            let size = 640 << 10
            let upload = HTTPRequest(
                .put,
                try #require(URL(string: base + "/upload")),
                body: .data(Data(count: size))
            )
            let response = try await client.send(upload, options: CallOptions(timeouts: limit.timeouts))
            #expect(response.timings.protocolVersion == "HTTP/1.1")
            #expect(response.timings.reusedConnection == true)
            #expect(try await response.body.text(upTo: 100) == "\(size)")
        }

        /// Makes the kernel take little at a time on the connections of this process to a port, and returns their
        /// number.
        private static func limitSendBuffers(ofConnectionsTo port: UInt16, to size: Int32) throws -> Int {
            let numbers = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
            return numbers.compactMap { Int32($0) }.count { descriptor in
                var peer = sockaddr_in()
                var length = socklen_t(MemoryLayout<sockaddr_in>.size)
                let result = withUnsafeMutablePointer(to: &peer) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        getpeername(descriptor, $0, &length)
                    }
                }
                guard result == 0, peer.sin_family == sa_family_t(AF_INET), UInt16(bigEndian: peer.sin_port) == port
                else { return false }
                var size = size
                let sizeLength = socklen_t(MemoryLayout<Int32>.size)
                return setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, sizeLength) == 0
            }
        }

        /// HTTP/2 is found out with the first response. Other calls may use the connection as long as they send no
        /// body.
        @Test(.needs(.nginx, .openssl), arguments: Limit.allCases, [false, true])
        func aBodyThatMovesIsWaitedForOverHTTP2(_ limit: Limit, isBesideAnother: Bool) async throws {
            let nginx = try await NginxPeer.shared.value
            let network = try BreakableProxy(to: nginx.number(.tls), receiveBuffer: Self.receiveBuffer)
            let client = try HTTPClient.curl { $0.tls.roots = .file(nginx.certificates.authority.path()) }
            let base = "https://localhost:\(network.port)"
            let path = isBesideAnother ? "/large" : "/kilobyte"
            let first = try await client.send(HTTPRequest(.get, try #require(URL(string: base + path))))
            #expect(first.timings.protocolVersion == "HTTP/2")
            if !isBesideAnother { _ = try await first.body.collect(upTo: 2000) }
            network.set(.slow(bytesPerSecond: Self.rate))
            let upload = HTTPRequest(
                .put,
                try #require(URL(string: base + "/upload")),
                body: .data(Data(count: Self.size))
            )
            let response = try await client.send(upload, options: CallOptions(timeouts: limit.timeouts))
            #expect(response.timings.protocolVersion == "HTTP/2")
            #expect(response.timings.reusedConnection == true)
            #expect(try await response.body.text(upTo: 100) == "\(Self.size)")
            first.body.discard()
        }

        /// The server has the body, and the connection is busy with the long heads of other calls.
        @Test(.needs(.nginx, .openssl), arguments: [1000, 100_000])
        func theMovesOfOtherCallsDoNotCount(size: Int) async throws {
            let nginx = try await NginxPeer.shared.value
            let silent = try MockServer()
            silent.on(.post, "/", .text("").stalling(at: .start))
            let network = try BreakableProxy(to: nginx.number(.tls), receiveBuffer: Self.receiveBuffer)
            let client = try HTTPClient.curl { $0.tls.roots = .file(nginx.certificates.authority.path()) }
            let base = "https://localhost:\(network.port)"
            let other = try #require(URL(string: base + "/kilobyte"))
            _ = try await client.send(HTTPRequest(.get, other)).body.collect(upTo: 2000)
            network.set(.slow(bytesPerSecond: 200_000))
            let others = (0..<16).map { _ in
                Task {
                    while !Task.isCancelled {
                        let noise = String(UInt64.random(in: 0...UInt64.max))
                        let headers: HTTPHeaders = ["X-Noise": String(repeating: noise, count: 200)]
                        _ = try await client.send(HTTPRequest(.get, other, headers: headers)).body.collect(upTo: 2000)
                    }
                }
            }
            defer { for task in others { task.cancel() } }
            let call = HTTPRequest(
                .post,
                try #require(URL(string: base + "/passed-to/\(silent.port)")),
                body: .data(Data(count: size))
            )
            let timeouts = Timeouts(firstByte: .milliseconds(600), idle: nil, attempt: nil)
            let error = await #expect(throws: NetKitError.self) {
                try await client.send(call, options: CallOptions(timeouts: timeouts))
            }
            #expect(error?.timeoutPhase == .firstByte)
            #expect(error?.outcome == .unknown)
        }

        /// The server opens no window for the rest of the body, and only its pings keep the connection busy.
        @Test(.needs(.python3, .openssl))
        func pingsDoNotCountOnANewConnection() async throws {
            let peer = try await HTTP2Peer(.pinging)
            let client = try HTTPClient.curl { $0.tls.roots = .file(peer.certificates.authority.path()) }
            let upload = HTTPRequest(.put, try peer.url(), body: .data(Data(count: 300 << 10)))
            let timeouts = Timeouts(idle: .milliseconds(600), attempt: .seconds(20))
            let error = await #expect(throws: NetKitError.self) {
                try await client.send(upload, options: CallOptions(timeouts: timeouts))
            }
            #expect(error?.timeoutPhase == .idle)
            #expect(error?.outcome == .unknown)
            await peer.stop()
        }

        @Test func aBodyThatStopsIsNot() async throws {
            let server = try MockServer()
            let network = try BreakableProxy(to: server.port, receiveBuffer: Self.receiveBuffer)
            network.set(.slow(bytesPerSecond: Self.rate))
            let url = try #require(URL(string: "http://127.0.0.1:\(network.port)/"))
            let call = Task {
                try await CurlTransport().send(
                    HTTPRequest(.put, url, body: .data(Data(count: Self.size))),
                    context: .test(timeouts: Timeouts(idle: .milliseconds(600), attempt: nil))
                )
            }
            try await Task.sleep(for: .seconds(1))
            network.set(.hold)
            let error = await #expect(throws: NetKitError.self) { try await call.value }
            #expect(error?.timeoutPhase == .idle)
            #expect(error?.outcome == .unknown)
        }

        private func send(
            to server: MockServer,
            _ source: AsyncStream<Data>
        ) async throws -> HTTPResponse {
            try await CurlTransport().send(
                HTTPRequest(.post, server.url("/"), body: .stream(source)),
                context: .test(timeouts: Timeouts(idle: .seconds(4), attempt: nil))
            )
        }

        @Test func aPauseOfTheCallerIsNoSilenceBeforeTheResponse() async throws {
            let server = try MockServer()
            server.on(.post, "/") { .text($0.bodyText) }
            let (chunks, source) = AsyncStream.makeStream(of: Data.self)
            source.yield(Data("a".utf8))
            async let response = send(to: server, chunks)
            try await Task.sleep(for: .seconds(6))
            source.yield(Data("b".utf8))
            source.finish()
            #expect(try await response.body.buffered == Data("ab".utf8))
        }

        /// The caller may never end its stream, and a server that has begun to answer may wait for nothing more.
        @Test func aPauseOfTheCallerIsSilenceAfterTheResponseHasBegun() async throws {
            let server = try MockServer()
            server.on(.post, "/", .text("hello").after(.headers).stalling(at: .inBody(after: 1)))
            let (chunks, source) = AsyncStream.makeStream(of: Data.self)
            source.yield(Data("a".utf8))
            let error = await #expect(throws: NetKitError.self) { try await send(to: server, chunks) }
            #expect(error?.timeoutPhase == .idle)
            #expect(error?.outcome == .answered)
            source.finish()
        }
    }
#endif
