#if os(Linux)
    import Foundation
    import Testing

    @testable import NetKit

    struct CurlConfigurationTests {
        /// Services print their configuration when they start.
        @Test(arguments: ["http://", "", "//"].map { "\($0)ada:s3cret@proxy.example:3128" })
        func noTextShowsAPassword(proxy: String) throws {
            var configuration = CurlTransport.Configuration()
            configuration.proxy = .url(try #require(URL(string: proxy)))
            configuration.tls.identity = CurlTransport.Identity(
                certificatePath: "/cert.pem",
                keyPath: "/key.pem",
                passphrase: "s3cret"
            )
            var dumped = ""
            dump(configuration, to: &dumped)
            for text in [String(describing: configuration), String(reflecting: configuration), dumped] {
                #expect(!text.contains("s3cret"))
                #expect(text.contains("proxy.example:3128"))
                #expect(text.contains("/key.pem"))
            }
        }

        /// The limit of the system, which libcurl reports as a name without an address. An empty path is none for it.
        @Test(
            arguments: [
                (String(repeating: "a", count: 108), false), (String(repeating: "a", count: 107), true),
                ("a\0b", false), ("", false),
            ]
        )
        func thePathOfASocketIsBounded(path: String, isAllowed: Bool) async {
            var configuration = CurlTransport.Configuration()
            configuration.unixSocketPath = path
            switch Result(catching: { () throws(NetKitError) in try CurlTransport(configuration: configuration) }) {
            case .success(let transport):
                #expect(isAllowed)
                await transport.shutdown()
            case .failure(let error):
                #expect(!isAllowed)
                #expect(error.code == .invalidConfiguration)
            }
        }

        @Test(arguments: [
            ("127.0.0.1", true), ("::1", true), ("[::1]", true), ("127.0.0.2,127.0.0.1", true), ("", false),
            ("localhost", false), ("127.0.0.1,localhost", false), ("127.1", false), ("fe80::1%lo", false), (",", false),
        ])
        func anOverrideConsistsOfAddresses(addresses: String, isAllowed: Bool) async {
            var configuration = CurlTransport.Configuration()
            configuration.addressOverrides = ["api.example": addresses]
            switch Result(catching: { () throws(NetKitError) in try CurlTransport(configuration: configuration) }) {
            case .success(let transport):
                #expect(isAllowed)
                await transport.shutdown()
            case .failure(let error):
                #expect(!isAllowed)
                #expect(error.code == .invalidConfiguration)
                #expect(error.message.contains("api.example"))
            }
        }

        /// A server may choose by the name whose responses it sends, so a cache keeps them apart.
        @Test func theIdentityDependsOnWhatLeadsToAnotherServer() {
            let changes: [(inout CurlTransport.Configuration) -> Void] = [
                { $0.tls.identity = CurlTransport.Identity(certificatePath: "a", keyPath: "b") },
                { $0.unixSocketPath = "a" }, { $0.tls.serverName = "a" }, { $0.tls.serverName = "b" },
                { $0.addressOverrides = ["a": "127.0.0.1"] },
            ]
            let identities = changes.map { change in
                var configuration = CurlTransport.Configuration()
                change(&configuration)
                return configuration.identity
            }
            #expect(Set(identities + [nil]).count == 6)
            #expect(CurlTransport.Configuration().identity == nil)
        }
    }
#endif
