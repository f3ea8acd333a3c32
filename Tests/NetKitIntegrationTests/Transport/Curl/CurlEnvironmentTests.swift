#if os(Linux)
    import Foundation
    import NetKit
    import NetKitTesting
    import NetKitTestSupport
    import Testing

    /// Tests of the settings that `CurlTransport` takes from the environment, in processes with environments of their
    /// own.
    @Suite(.needsTheMachine)
    struct CurlEnvironmentTests {
        @Test(.needs(.nginx, .openssl), .inAProcessOfItsOwn, arguments: ["SSL_CERT_FILE", "SSL_CERT_DIR"])
        func authoritiesMayBeNamed(_ variable: String) async throws {
            let nginx = try await NginxPeer.shared.value
            let url = try nginx.url(.tls, "/kilobyte").absoluteString
            let folder = try TemporaryFolder()
            let authority = nginx.certificates.authority
            let hash = try await Peer.openssl.required().run(["x509", "-hash", "-noout", "-in", authority.path()])
            let name = hash.output.trimmingCharacters(in: .whitespacesAndNewlines) + ".0"
            let file = try folder.write(try Data(contentsOf: authority), to: name)
            let value = variable == "SSL_CERT_FILE" ? file.path() : folder.url.path()
            await #expect(processExitsWith: .success) {
                [url = url as String, variable = variable as String, value = value as String] in
                setenv(variable, value, 1)
                let client = HTTPClient(transport: try CurlTransport(), interceptors: [])
                let request = HTTPRequest(.get, try #require(URL(string: url)))
                #expect(try await client.send(request).status == 200)
            }
        }

        @Test(.needs(.nginx, .openssl, .tinyproxy), .inAProcessOfItsOwn, arguments: ["http_proxy", "ALL_PROXY"])
        func theProxyOfTheEnvironmentIsUsedIfAskedFor(_ variable: String) async throws {
            let nginx = try await NginxPeer.shared.value
            let proxy = try await ProxyPeer(.http)
            let (place, port) = (try proxy.url.absoluteString, try nginx.number(.plain))
            await #expect(processExitsWith: .success) {
                [variable = variable as String, place = place as String, port = port as UInt16] in
                for name in ["http_proxy", "https_proxy", "all_proxy", "no_proxy"] {
                    unsetenv(name)
                    unsetenv(name.uppercased())
                }
                setenv(variable, place, 1)
                setenv("NO_PROXY", "example.com,127.0.0.1", 1)
                // From here on threads may read the environment.
                for (usesEnvironment, host, isByProxy) in [
                    (true, "localhost", true), (true, "127.0.0.1", false), (false, "localhost", false),
                ] {
                    var configuration = CurlTransport.Configuration()
                    if usesEnvironment { configuration.proxy = .environment }
                    let client = HTTPClient(
                        transport: try CurlTransport(configuration: configuration),
                        interceptors: []
                    )
                    let url = try #require(URL(string: "http://\(host):\(port)/kilobyte"))
                    let response = try await client.send(HTTPRequest(.get, url))
                    #expect(response.status == 200)
                    #expect((response.headers["Via"] != nil) == isByProxy, "\(usesEnvironment) \(host)")
                }
            }
            await proxy.stop()
        }

        /// Such a password makes the URL one that libcurl does not take, and would show.
        @Test(.inAProcessOfItsOwn, arguments: ["hun ter2", "hun@ter2"])
        func aPasswordNeedsNoEncoding(_ password: String) async {
            await #expect(processExitsWith: .success) { [password = password as String] in
                let server = try MockServer()
                server.on(nil, "/**", .text("ok"))
                setenv("http_proxy", "http://bob:\(password)@127.0.0.1:\(server.port)", 1)
                var configuration = CurlTransport.Configuration()
                configuration.proxy = .environment
                let client = HTTPClient(
                    transport: try CurlTransport(configuration: configuration),
                    interceptors: []
                )
                let url = try #require(URL(string: "http://shop.example/"))
                do {
                    #expect(try await client.send(HTTPRequest(.get, url)).status == 200)
                } catch {
                    #expect(!"\(error)".contains("ter2"))
                    #expect(!error.localizedDescription.contains("ter2"))
                    throw error
                }
                let login = "Basic " + Data("bob:\(password)".utf8).base64EncodedString()
                #expect(server.requests.first?.headers["Proxy-Authorization"] == login)
            }
        }

        @Test(.needs(.nginx, .openssl, .tinyproxy), arguments: [("localhost", false), ("other.test", true)])
        func hostsMayBeExceptedFromAProxy(_ host: String, _ isByProxy: Bool) async throws {
            let nginx = try await NginxPeer.shared.value
            let proxy = try await ProxyPeer(.http)
            let (url, proxyURL) = (try nginx.url(.plain, "/kilobyte"), try proxy.url)
            let client = try HTTPClient.curl { $0.proxy = .url(proxyURL, exceptHosts: [host]) }
            let response = try await client.send(HTTPRequest(.get, url))
            #expect((response.headers["Via"] != nil) == isByProxy)
            await proxy.stop()
        }
    }
#endif
