#if os(Linux)
    import Foundation
    import Testing

    @testable import NetKit

    /// Tests of the proxy of a request, by configuration and environment.
    struct CurlProxiesTests {
        private func proxy(
            _ url: String,
            _ environment: [String: String],
            _ addressGuard: AddressGuard? = nil
        ) throws -> CurlProxies.Server? {
            let proxies = try CurlProxies(.environment, environment: environment)
            return proxies.server(
                for: try #require(URL(string: url).flatMap { Origin($0) }),
                guarded: addressGuard
            )
        }

        @Test(arguments: [
            ("http://a.test/", ["http_proxy": "p:3128"], "http://p:3128"),
            ("http://a.test/", ["HTTP_PROXY": "p:3128"], nil),
            ("https://a.test/", ["http_proxy": "p:3128"], nil),
            ("https://a.test/", ["HTTPS_PROXY": "socks5h://p"], "socks5h://p"),
            (
                "https://a.test/", ["https_proxy": "http://one", "HTTPS_PROXY": "http://two"], "http://one"
            ),
            ("https://a.test/", ["ALL_PROXY": "http://p", "https_proxy": ""], "http://p"),
            ("http://a.test/", ["all_proxy": "http://one", "ALL_PROXY": "http://two"], "http://one"),
        ])
        func theEnvironmentNamesIt(url: String, environment: [String: String], expected: String?) throws {
            #expect(try proxy(url, environment)?.url == expected)
        }

        @Test(arguments: [
            ("*", "a.test", true), ("a.test", "a.test", true), (".a.test", "b.a.test", true),
            ("a.test", "ba.test", false), ("*.a.test", "b.a.test", true), ("*.a.test", "ba.test", false),
            ("*.", "a.test", false),
            ("A.test.", "a.TEST", true), ("b.test, a.test", "a.test", true),
            ("10.0.0.0/8", "10.9.8.7", true),
            ("10.0.0.0/8", "11.9.8.7", false), ("10.0.0.7", "10.0.0.7", true),
            ("fd00::/8", "[fd00::1]", true),
            ("[::1]", "[::1]", true), ("10.0.0.0/99", "10.0.0.1", false),
            ("10.0.0.0/x", "10.0.0.1", false), ("", "a.test", false),
            ("a.test:80", "a.test", true), ("a.test:8080", "a.test", false), (".a.test:8080", "b.a.test:8080", true),
            ("[::1]:80", "[::1]", true), ("[::1]:8080", "[::1]", false), ("fd00::80", "[fd00::80]", true),
            ("fd00::80", "[fd00::]", false), ("10.0.0.0/8:8080", "10.0.0.1:8080", true), ("*:8080", "a.test", false),
        ])
        func exceptionsAreReachedWithoutIt(list: String, host: String, isExcepted: Bool) throws {
            let environment = ["ALL_PROXY": "http://p", "NO_PROXY": list]
            #expect((try proxy("http://\(host)/", environment) == nil) == isExcepted)
        }

        @Test func aDumpedOneShowsNoPassword() throws {
            let server = try proxy("http://a.test/", ["http_proxy": "http://bob:hunter2@p:3128"])
            var dumped = ""
            dump(try #require(server), to: &dumped)
            #expect(dumped.contains("p:3128"))
            #expect(!dumped.contains("hunter2"))
        }

        @Test func aGuardAllowsOneFromTheEnvironmentOnlyIfItSaysSo() throws {
            let environment = ["ALL_PROXY": "http://p"]
            #expect(try proxy("http://a.test/", environment, .publicOnly) == nil)
            #expect(
                try proxy("http://a.test/", environment, AddressGuard(allowsEnvironmentProxy: true)) != nil
            )
            let proxies = try CurlProxies(.url(try #require(URL(string: "http://p"))), environment: [:])
            let url = try #require(URL(string: "http://a.test/"))
            let origin = try #require(Origin(url))
            #expect(proxies.server(for: origin, guarded: .publicOnly) != nil)
        }

        @Test(arguments: [
            "ftp://p", "http://", "quic://p:1", "http://bob:hunter2@p:99999", "http://p:0", "http://pr$o",
            "http://pr%20o", "http://bob:hunter2%09@p:1", "http://b%00b:hunter2@p:1",
        ])
        func anInvalidProxyIsRefusedWhenTheTransportIsMade(url: String) throws {
            let error = #expect(throws: NetKitError.self) {
                try CurlProxies(.environment, environment: ["https_proxy": url])
            }
            #expect(error?.code == .invalidConfiguration)
            #expect(error?.message.contains("https_proxy") == true)
            #expect(error?.message.contains("hunter2") == false)
            var configuration = CurlTransport.Configuration()
            configuration.proxy = .url(try #require(URL(string: url)))
            #expect(throws: NetKitError.self) { try CurlTransport(configuration: configuration) }
        }

        /// Some versions of libcurl refuse a scheme with the whole URL in the error, of which 255 bytes are kept.
        @Test func aTextOfLibcurlIsShownWithoutTheURL() throws {
            let server = try #require(try proxy("http://a.test/", ["http_proxy": "https://bob:hunter2@p:3128"]))
            let shown = "Unsupported proxy 'p:3128"
            #expect(server.removingURL(from: "Unsupported proxy 'https://bob:hunter2@p:3128'") == shown)
            #expect(server.removingURL(from: "Unsupported proxy 'https://bob:hun") == shown)
            #expect(server.removingURL(from: "Could not resolve proxy: p") == "Could not resolve proxy: p")
        }

        /// libcurl refuses a URL with a space, or with an `@` in the password, and shows it whole.
        @Test(arguments: [
            "http://bob:hun ter2@p:3128", "http://bob:hu@nter2@p:3128", "http://bob:hunter2@p:3128/a b",
        ])
        func whatLibcurlGetsHasNothingThatItRefuses(url: String) throws {
            let server = try #require(try proxy("http://a.test/", ["http_proxy": url]))
            #expect(!server.url.contains { $0.isWhitespace })
            #expect(server.url.count { $0 == "@" } == 1)
            #expect(server.host == "p")
            #expect(server.port == 3128)
        }

        @Test(arguments: [
            ("http://p", 1080, false, true), ("https://p", 443, true, true),
            ("socks5h://[fe80::1%25lo]:9", 9, false, true),
            ("socks5://p", 1080, false, false),
            ("socks5h://[::1]:9", 9, false, true), ("socks4://p:1", 1, false, false),
        ])
        func itIsReadOffItsURL(url: String, port: Int, isSecure: Bool, resolvesTargets: Bool) throws {
            let found = try proxy("http://a.test/", ["all_proxy": url])
            let server = try #require(found)
            #expect(server.port == port)
            #expect(server.isSecure == isSecure)
            #expect(server.resolvesTargets == resolvesTargets)
            #expect(!server.host.contains("["))
        }

        @Test(
            arguments: [
                ("socks5", ["::1", "10.0.0.1"], "[::1]"), ("socks5", ["10.0.0.1", "::1"], "10.0.0.1"),
                ("socks5", ["fe80::1%eth0", "10.0.0.1"], "10.0.0.1"), ("socks5", ["fe80::1%eth0"], nil),
                ("socks4", ["::1", "10.0.0.1"], "10.0.0.1"), ("socks4", ["::1"], nil),
            ] as [(String, [String], String?)]
        )
        func itIsToldAnAddressThatItCanTake(scheme: String, addresses: [String], expected: String?) throws {
            let server = try #require(try proxy("http://a.test/", ["all_proxy": "\(scheme)://p"]))
            #expect(server.passableAddress(of: addresses) == expected)
        }
    }
#endif
