#if os(Linux)
    import Testing

    @testable import NetKit

    struct CurlNamingTests {
        private let name = CurlNaming.Name(host: "a.example", port: 80)

        @Test(
            arguments: [
                (["10.0.0.1"], "+a.example:80:10.0.0.1"),
                (["::1", "10.0.0.1"], "+a.example:80:[::1],10.0.0.1"),
                (["fe80::1%eth0", "10.0.0.1"], "+a.example:80:10.0.0.1"),
                (["fe80::1%eth0"], nil),
            ] as [([String], String?)]
        )
        func addressesWithAZoneAreLeftOut(addresses: [String], line: String?) {
            #expect(name.line(addresses) == line)
        }

        @Test(
            arguments: [
                ("a.example", false), ("localhost", true), ("a.localhost", true), ("127.0.0.1", true), ("::1", true),
                ("fe80::1%25eth0", true),
            ]
        )
        func literalsNeedNoResolver(host: String, isLiteral: Bool) {
            #expect(CurlNaming.Name(host: host, port: 80).needsNoResolver == isLiteral)
        }
    }
#endif
