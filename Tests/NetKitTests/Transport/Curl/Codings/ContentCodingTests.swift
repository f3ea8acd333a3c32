#if os(Linux)
    import Testing

    @testable import NetKit

    struct ContentCodingTests {
        @Test(
            arguments: [
                ("gzip", [.gzip]),
                ("x-gzip", [.gzip]),
                ("GZip", [.gzip]),
                ("deflate", [.deflate]),
                ("br", [.br]),
                ("zstd", [.zstd]),
                ("gzip, br", [.gzip, .br]),
                ("\t gzip ,\tzstd ", [.gzip, .zstd]),
                (",gzip,,br,", [.gzip, .br]),
                ("identity", []),
                ("identity, gzip, identity", [.gzip]),
                ("", []),
                (" , ", []),
                ("gzip, gzip, gzip, gzip", [.gzip, .gzip, .gzip, .gzip]),
            ] as [(String, [ContentCoding])]
        )
        func aFieldNamesCodingsInTheirOrder(value: String, expected: [ContentCoding]) {
            #expect(ContentCoding.list(value) == expected)
        }

        @Test(
            arguments: [
                "compress", "x-none", "gzip, x-none", "x-none, gzip", "gzip;q=1", "gzip br", "g\u{7A}ip\u{301}", "x-br",
                "gzip, gzip, gzip, gzip, gzip", String(repeating: "gzip,", count: 10_000), "\u{0}gzip",
            ]
        )
        func unknownOrExcessiveInputIsLeftAlone(value: String) throws {
            #expect(ContentCoding.list(value) == nil)
            #expect(try ContentCodings.available.decoder(for: value) == nil)
        }
    }
#endif
