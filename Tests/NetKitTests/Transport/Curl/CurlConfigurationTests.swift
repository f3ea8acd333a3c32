#if os(Linux)
    import Foundation
    import NetKit
    import Testing

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
    }
#endif
