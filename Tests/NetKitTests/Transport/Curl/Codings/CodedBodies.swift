#if os(Linux)
    import Foundation

    @testable import NetKit

    /// Bodies that other programs coded: gzip, zlib and raw deflate by Python's `gzip` and `zlib` 3.11 at level 9
    /// (deflate at 6), brotli by `brotli` 1.2.1 at quality 11 (the bombs at 9), zstd by `zstandard` 0.25 at level 19
    /// with a checksum (the bomb without).
    enum CodedBodies {
        /// 380 bytes, and 95,000 in the same pattern.
        static let text = lines(20)
        static let long = lines(5000)

        static let gzipText = bytes(
            "H4sIAAAAAAACA8vJzEtVMFDIT1MoyUhVSMpPqeTKAQkZYgoZYQoZYwqZYAqZYgqZYQqZYwpZYApZYgoNWdcDAGznTPN8AQAA"
        )
        static let gzipLong = bytes(
            """
            H4sIAAAAAAACA+3OvQ2CUAAGwJ4p3giA8uM6RggkL9DQsL2x/gawufaqq/uxlLaca7m2pbzPz93UH3VJfdIj6Zk0JI1JU9Kc9Eqy\
            t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3\
            t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3\
            t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3\
            t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3\
            t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3/9P+Cz+A4QkY\
            cwEA
            """
        )
        static let gzipEmpty = bytes("H4sIAAAAAAACAwMAAAAAAAAAAAA=")
        static let deflateText = bytes(
            "eJzLycxLVTBQyE9TKMlIVUjKT6nkygEJGWIKGWEKGWMKmWAKmWIKmWEKmWMKWWAKWWIKDVnXAwDXO3tT"
        )
        static let deflateLong = bytes(
            """
            eJztzr0NglAABsCeKd4IgPLjOkYIJC/Q0LC9sf4GsLn2qqv7sZS2nGu5tqW8z8/d1B91SX3SI+mZNCSNSVPSnPRKsre3t7e3t7e3\
            t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3\
            t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3\
            t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3\
            t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3\
            t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t//T/guM1XUd
            """
        )
        static let deflateEmpty = bytes("eJwDAAAAAAE=")
        static let rawDeflateText = bytes("y8nMS1UwUMhPUyjJSFVIyk+p5MoBCRliChlhChljCplgCpliCplhCpljCllgClliCg1Z1wMA")
        static let rawDeflateLong = bytes(
            """
            7c69DYJQAAbAnineCIDy4zpGCCQv0NCwvbH+BrC59qqr+7GUtpxrubalvM/P3dQfdUl90iPpmTQkjUlT0pz0SrK3t7e3t7e3t7e3\
            t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3\
            t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3\
            t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3\
            t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3\
            t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7e3t7f/0/4L
            """
        )
        static let rawDeflateEmpty = bytes("AwA=")
        static let brText = bytes("G3sBwIzUY40d2KkVQMzeuMHYvKTBGHAAkNo62SR4akCw+IS3BlkAhGAExWBx+M/t")
        static let brLong = bytes("WxdzAcxIPdbYgZ1aAcTsjRuMzUsaxIxz7l4tjWxEstSAYPUT3hrkABCCERSDxeU/hVpAOw==")
        static let brEmpty = bytes("Ow==")
        static let zstdText = bytes(
            "KLUv/WR8AKUBAOBsaW5lIDAgb2YgdGhlIGJvZHkKMTIzNDU2Nzg5C6BAeP8esCPruyB19Dwez+P14NXalgIUpP5Q"
        )
        static let zstdLong = bytes(
            "KLUv/aQYcwEArQEA4GxpbmUgMCBvZiB0aGUgYm9keQoxMjM0NTY3ODkLoEB4/x6wI+tXcsH86Hk8nsfrwau1LQVF+fV+"
        )
        static let zstdEmpty = bytes("KLUv/SQAAQAAmenYUQ==")
        /// With a file's name and time in the header.
        static let namedGzipText = bytes(
            """
            H4sICAEAAAAC/2JvZHkudHh0AMvJzEtVMFDIT1MoyUhVSMpPqeTKAQkZYgoZYQoZYwqZYAqZYgqZYQqZYwpZYApZYgoNWdcDAGzn\
            TPN8AQAA
            """
        )
        /// Without the size in the header.
        static let unsizedZstdText = bytes(
            "KLUv/QQApQEA4GxpbmUgMCBvZiB0aGUgYm9keQoxMjM0NTY3ODkLoEB4/x6wI+u7IHX0PB7P4/Xg1dqWAhSk/lA="
        )
        /// Two codings: `gzip, br`.
        static let brOverGzipText = bytes(
            """
            iyOAH4sIAAAAAAACA8vJzEtVMFDIT1MoyUhVSMpPqeTKAQkZYgoZYQoZYwqZYAqZYgqZYQqZYwpZYApZYgoNWdcDAGznTPN8AQAA\
            Aw==
            """
        )
        /// Ten million zeros each; the third as gzip of gzip.
        static let brZeros = bytes("y///PwAkAOKxQHLv//LPEgOABEAcFoCOIwY=")
        static let zstdZeros = bytes(
            """
            KLUv/YBogJaYAEwAAAgAAQD8/zkQAgIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAAC\
            ABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAA\
            AgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQ\
            AAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIA\
            EAACABAAAgAQAAIAEAACABAAAgAQAAO0BAA=
            """
        )
        static let gzipTwiceZeros = bytes(
            """
            H4sIAAAAAAACA+3YvQnCQACA0UuiECx0BN1DCFbB0sYhbFzBA0tBrMQFUjuDtQOIhRuIG/h3axzvVd8M33hXh6Ssnpei+Ec8fM6v\
            ehAAAACAzMX7tkozIEy+t3axBAAAAHK3Gg3n6QX03pvHftZ3RwBysy6v3bSJx1P4AWvJRxwWJgAA
            """
        )
        /// A million empty gzip members, 20 MB, in brotli.
        static let brOverEmptyMembers = bytes(
            "y///PwAEHHJfl8QChNIEUQ4rhGovRNn0/u/5//8HgARAHBaA7v1f/rPEAJAAiMMC0CWJAQ=="
        )

        private static func lines(_ count: Int) -> [UInt8] {
            Array((0..<count).map { "line \($0 % 10) of the body\n" }.joined().utf8)
        }

        private static func bytes(_ base64: String) -> [UInt8] {
            Data(base64Encoded: base64).map { Array($0) } ?? []
        }
    }
#endif
