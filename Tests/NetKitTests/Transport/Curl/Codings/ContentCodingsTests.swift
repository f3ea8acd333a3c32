#if os(Linux)
    import Foundation
    import Testing

    @testable import NetKit

    struct ContentCodingsTests {
        private static let nowhere = "libnetkit-has-no-such-library.so.1"

        @Test(.needs(.gzip), .needs(.br), .needs(.zstd))
        func asksForTheAvailableCodingsInAFixedOrder() throws {
            #expect(try ContentCodings.available.acceptEncoding == "gzip, deflate, br, zstd")
            #expect(ContentCodings(zlib: Self.nowhere).acceptEncoding == "br, zstd")
            #expect(ContentCodings(brotli: Self.nowhere).acceptEncoding == "gzip, deflate, zstd")
            #expect(ContentCodings(zstd: Self.nowhere).acceptEncoding == "gzip, deflate, br")
        }

        @Test func withoutAnyLibraryNothingIsAskedForOrDecoded() throws {
            let none = ContentCodings(zlib: Self.nowhere, brotli: Self.nowhere, zstd: Self.nowhere)
            #expect(none.acceptEncoding == nil)
            for coding in ContentCoding.allCases {
                #expect(none.missingReason(coding)?.contains(Self.nowhere) == true)
                #expect(try none.decoder(for: coding.rawValue) == nil)
            }
        }

        /// The libraries are looked for again when there may be descriptors.
        @Test func aLackOfResourcesIsReportedAndNotRemembered() throws {
            // The reason of the system names the file, so that this one is taken for a lack of descriptors.
            let lacking = ContentCodings(zlib: Self.nowhere, brotli: String(cString: strerror(EMFILE)))
            #expect(lacking.missingReason(.br) != nil)
            let complete = ContentCodings(zlib: Self.nowhere)
            let found = Locked<ContentCodings?>(nil)
            let error = #expect(throws: NetKitError.self) { try ContentCodings.known(in: found) { lacking } }
            #expect(error?.isLocalShortage == true)
            let codings = try ContentCodings.known(in: found) { complete }
            #expect(codings.missingReason(.gzip)?.contains(Self.nowhere) == true)
            #expect(codings.missingReason(.br) == complete.missingReason(.br))
            _ = try ContentCodings.known(in: found) { lacking }
        }

        @Test(.needs(.gzip))
        func aLibraryWithoutTheFunctionsIsNotUsed() {
            let wrong = ContentCodings(zlib: "libc.so.6", brotli: "libz.so.1", zstd: "libz.so.1")
            #expect(wrong.acceptEncoding == nil)
            #expect(wrong.missingReason(.br) == "it has no function BrotliDecoderCreateInstance")
        }

        @Test(.needs(.gzip))
        func aBodyOfWhichOneCodingIsMissingIsHandedOutAsItComes() throws {
            let codings = ContentCodings(brotli: Self.nowhere)
            #expect(try codings.decoder(for: "gzip, br") == nil)
            #expect(try codings.decoder(for: "identity") == nil)
            #expect(try codings.decoder(for: "gzip") != nil)
        }

        // One test for each library, so that a missing one is noticed: the tables elsewhere leave its bodies out.

        @Test(.needs(.gzip))
        func zlibIsThere() throws {
            #expect(try CodedBody.decode(CodedBodies.gzipText, "gzip") == CodedBodies.text)
        }

        @Test(.needs(.gzip))
        func aLibraryThatIsOpenedByNameDecodesAsOneThatIsLinkedIn() throws {
            let codings = ContentCodings(zlib: "libz.so.1", brotli: Self.nowhere, zstd: Self.nowhere)
            let decoder = try #require(try codings.decoder(for: "gzip"))
            var content: [UInt8] = []
            try decoder.decodeWhole(CodedBodies.gzipText) { content.append(contentsOf: $0) }
            try decoder.finish()
            #expect(content == CodedBodies.text)
        }

        @Test(.needs(.br))
        func brotliIsThere() throws {
            #expect(try CodedBody.decode(CodedBodies.brText, "br") == CodedBodies.text)
        }

        @Test(.needs(.zstd))
        func zstdIsThere() throws {
            #expect(try CodedBody.decode(CodedBodies.zstdText, "zstd") == CodedBodies.text)
        }
    }
#endif
