import Foundation

#if canImport(CryptoKit)
    import CryptoKit
#elseif canImport(Glibc) || canImport(Musl)
    import CNetKitCurl
#endif

/// The SHA-256 of bytes as they come: by libcrypto on Linux, by CryptoKit on Apple's systems.
///
/// Not locked: its owner is the one download that makes it, and only that task touches it.
final class FileDigest: @unchecked Sendable {
    #if canImport(CryptoKit)
        private var hash = SHA256()

        init() throws {}

        func add(_ bytes: UnsafeRawBufferPointer) throws { hash.update(bufferPointer: bytes) }

        func finish() throws -> String { hash.finalize().map(\.hexadecimal).joined() }
    #elseif canImport(Glibc) || canImport(Musl)
        private let digest: OpaquePointer

        init() throws {
            guard let digest = nk_sha256_create() else { throw Self.unsupported }
            self.digest = digest
        }

        deinit { nk_sha256_destroy(digest) }

        func add(_ bytes: UnsafeRawBufferPointer) throws {
            guard bytes.isEmpty || nk_sha256_add(digest, bytes.baseAddress, bytes.count) != 0 else {
                throw Self.unsupported
            }
        }

        func finish() throws -> String {
            var bytes = [UInt8](repeating: 0, count: 32)
            guard nk_sha256_finish(digest, &bytes) != 0 else { throw Self.unsupported }
            return bytes.map(\.hexadecimal).joined()
        }
    #else
        init() throws { throw Self.unsupported }

        func add(_ bytes: UnsafeRawBufferPointer) throws {}

        func finish() throws -> String { throw Self.unsupported }
    #endif

    private static var unsupported: NetKitError {
        NetKitError(.unsupported, "A SHA-256 cannot be made here: libcrypto is missing. Install OpenSSL's library.")
    }
}
