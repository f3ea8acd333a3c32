#if os(Linux)
    import Foundation
    import NetKit
    import NetKitTestSupport
    import Testing

    /// Tests of a process that ends while its calls run. OpenSSL frees its locks then, unless NetKit initializes it and
    /// tells it to keep them. `URLSession` may have initialized it first, even if nothing listens where it connects.
    ///
    /// Otherwise, calls go on until the process has ended, and an exit handler may make one.
    @Suite(.needsTheMachine)
    struct CurlExitTests {
        @Test(.needs(.nginx, .openssl), arguments: [[], ["https://127.0.0.1:9/"]])
        func aProcessEndsWhileItsCallsRun(first: [String]) async throws {
            let certificates = try await TestCertificates.shared.value
            let url = try await NginxPeer.shared.value.url(.tlsHTTP1, "/closing")
            let ended = try await BuiltCommand.run(
                try #require(BuiltCommand.exitProbe),
                [url.absoluteString] + first,
                environment: ["SSL_CERT_FILE": certificates.certificate(.authority).path()]
            )
            #expect(ended.status == 0, "\(ended.notes)")
            #expect(ended.output == (first.isEmpty ? "answered\nflushed\n" : "answered\n"))
        }
    }
#endif
