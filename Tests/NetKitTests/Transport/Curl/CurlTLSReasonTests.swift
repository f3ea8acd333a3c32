#if os(Linux)
    import Testing

    @testable import NetKit

    /// Tests of the reasons that are read off the texts of OpenSSL, as libcurl reports them.
    struct CurlTLSReasonTests {
        @Test(arguments: [
            ("TLS alert 112: unrecognized name", "the server does not know this host name"),
            (
                "error:0A000410:SSL routines::sslv3 alert handshake failure",
                "or does not accept the client's ciphers or the host name"
            ),
            ("tlsv13 alert certificate required", "the server rejected the client's certificate, or requires one"),
            // OpenSSL 1.1.1 and 3.
            ("SSL certificate problem: unsupported certificate purpose", "the certificate is not meant for servers"),
            ("SSL certificate problem: unsuitable certificate purpose", "the certificate is not meant for servers"),
            (
                "SSL: no alternative certificate subject name matches target host name 'pinned.example'",
                "the certificate is for another host"
            ),
        ])
        func theReasonIsFound(text: String, reason: String) {
            #expect(CurlTLSReason.text(of: text, code: 35).hasSuffix(reason))
        }

        @Test func aPinThatDoesNotMatchIsToldByItsCode() {
            let text = CurlTLSReason.text(of: "SSL: public key does not match pinned public key", code: 90)
            #expect(text == ": the server's public key matches none of the pins")
            let other = "SSL: no alternative certificate subject name matches target host name 'pinned.example.com'"
            #expect(CurlTLSReason.text(of: other, code: 60) == ": the certificate is for another host")
        }

        @Test(arguments: [(112, "TLS alert 112: unrecognized name"), (120, "TLS alert 120: no application protocol")])
        func anAlertHasItsName(number: Int32, text: String) {
            #expect(CurlTLSReason.alert(number) == text)
        }
    }
#endif
