#if os(Linux)
    import Foundation
    import NetKit
    import NetKitTestSupport
    import Testing

    /// Tests of a process that ends while its calls run.
    ///
    /// At the exit of a process, OpenSSL frees its locks, unless NetKit was the first to initialize it and told it to
    /// keep them. Then calls run until the process has ended, and an exit handler can make one. If `URLSession` was
    /// first, which needs no server that listens, the process still has to end cleanly.
    @Suite(.needsTheMachine)
    struct CurlExitTests {
        @Test(.needs(.nginx, .openssl), arguments: [[], ["https://127.0.0.1:9/"]])
        func aProcessEndsCleanlyWhileItsCallsRun(first: [String]) async throws {
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
