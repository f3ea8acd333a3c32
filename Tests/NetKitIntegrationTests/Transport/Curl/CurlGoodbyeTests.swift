#if os(Linux)
    import Foundation
    import NetKit
    import NetKitTesting
    import NetKitTestSupport
    import Testing

    /// Tests of servers that end an HTTP/2 connection, or refuse a request, and say what they have not processed.
    @Suite(.needsTheMachine, .needs(.nginx, .openssl))
    struct CurlGoodbyeTests {
        @Test(arguments: [(HTTPMethod.get, false), (.post, false), (.post, true)])
        func requestsThatWereNotProcessedGoOnAnotherConnection(method: HTTPMethod, isKeyed: Bool) async throws {
            let nginx = try await NginxPeer.shared.value
            var configuration = CurlTransport.Configuration()
            configuration.tls.roots = .file(nginx.certificates.authority.path())
            var policy = RetryPolicy()
            policy.backoffStrategy = .fixed(interval: .milliseconds(1))
            let client = HTTPClient(
                transport: try CurlTransport(configuration: configuration),
                interceptors: [RetryInterceptor(policy)]
            )
            let url = try nginx.url(.tlsShort, "/kilobyte")
            let count = 240
            let headers: HTTPHeaders = isKeyed ? ["Idempotency-Key": "order-7"] : [:]
            let errors = await withTaskGroup(of: [NetKitError].self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        var errors: [NetKitError] = []
                        for _ in 0..<count / 8 {
                            let options = CallOptions(delivery: .buffered(upTo: 10_000))
                            do {
                                _ = try await client.send(HTTPRequest(method, url, headers: headers), options: options)
                            } catch let error as NetKitError {
                                errors.append(error)
                            } catch {}
                        }
                        return errors
                    }
                }
                return await group.reduce(into: []) { $0 += $1 }
            }
            // For some requests, libcurl does not report whether they were processed; the number depends on the
            // machine. Those that may be repeated are.
            let kinds = Set(errors.map { "\($0.code) \($0.outcome) \($0.message)" })
            #expect(kinds.allSatisfy { $0.hasPrefix("connectionLost outcome unknown") }, "\(kinds)")
            let mayRepeat = method == .get || isKeyed
            // A connection accepts three.
            #expect(errors.count < (mayRepeat ? 1 : count - 3), "\(errors.count) of \(count)")
            await client.shutdown()
        }

        /// libcurl sends the request again over HTTP/1.1, and would continue the body where it had stopped.
        @Test(.needs(.python3), arguments: [(HTTPMethod.put, false), (.put, true), (.post, false)])
        func aBodyBeginsAnewIfTheServerDemandsHTTP1(method: HTTPMethod, isStream: Bool) async throws {
            let peer = try await HTTP2Peer(.downgrading)
            let client = try HTTPClient.curl { $0.tls.roots = .file(peer.certificates.authority.path()) }
            let bytes = Data(count: 300_000)
            let body =
                isStream
                ? HTTPBody.stream(
                    AsyncStream {
                        $0.yield(bytes)
                        $0.finish()
                    }
                ) : .data(bytes)
            let upload = HTTPRequest(method, try peer.url(), body: body)
            if isStream {
                let error = await #expect(throws: NetKitError.self) { try await client.send(upload) }
                #expect(error?.code == .connectionLost)
                #expect(error?.outcome == .unknown)
            } else {
                let response = try await client.send(upload)
                #expect(response.status == 200)
                #expect(response.timings.protocolVersion == "HTTP/1.1")
            }
            await peer.stop()
        }

        /// libcurl keeps in its handle that a request was refused, even once it has sent that request again.
        @Test(.needs(.python3)) func aRefusalIsForgottenWithItsRequest() async throws {
            let peer = try await HTTP2Peer(.refusing)
            let client = try HTTPClient.curl { $0.tls.roots = .file(peer.certificates.authority.path()) }
            let url = try peer.url()
            let options = CallOptions(delivery: .buffered(upTo: 100))
            for version in ["HTTP/2", "HTTP/1.1"] {
                let response = try await client.send(HTTPRequest(.get, url), options: options)
                #expect(response.timings.protocolVersion == version)
            }
            let order = HTTPRequest(.post, url, body: .text("one"))
            let error = await #expect(throws: NetKitError.self) { try await client.send(order, options: options) }
            #expect(error?.code == .connectionLost)
            #expect(error?.outcome == .unknown)
            await peer.stop()
        }

        /// libcurl opens a connection to send the request again, keeps it, and gives it to the next call.
        @Test(.needs(.python3)) func aConnectionOnWhichNothingWasSentMakesNoCallOpenItsOwn() async throws {
            let peer = try await HTTP2Peer(.refusingOnce)
            let client = try HTTPClient.curl {
                $0.tls.roots = .file(peer.certificates.authority.path())
                // With later versions, bytes of TLS arrive on an unused connection, which libcurl then takes for dead.
                $0.tls.maxVersion = .tls12
            }
            let url = try peer.url()
            let options = CallOptions(delivery: .buffered(upTo: 100))
            _ = try await client.send(HTTPRequest(.get, url), options: options)
            await #expect(throws: NetKitError.self) {
                try await client.send(HTTPRequest(.post, url), options: options)
            }
            var areReused: [Bool?] = []
            for _ in 0..<3 {
                let response = try await client.send(HTTPRequest(.get, url), options: options)
                areReused.append(response.timings.reusedConnection)
            }
            #expect(areReused == [false, true, true])
            await peer.stop()
        }
    }
#endif
