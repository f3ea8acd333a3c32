#if canImport(Glibc) || canImport(Musl)
    import CNetKitCurl
    import Foundation

    /// The settings for TLS as libcurl takes them, found out once for a loop.
    struct CurlTLSOptions: Sendable {
        /// Where systems keep the authorities they trust.
        private static let usualFiles = [
            "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
            "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/cert.pem",
        ]
        /// How long parsed authorities are kept: a file that changes counts from then on.
        private static let cacheSeconds = 60

        private let settings: CurlTransport.TLS
        private let caFile: String?
        private let caFolder: String?
        private let caBytes: Data?
        private let canCache: Bool
        let problem: String?

        init(_ settings: CurlTransport.TLS, library: CurlLibrary, environment: [String: String]) {
            self.settings = settings
            canCache = library.number >= CurlLibrary.Since.caCache
            let rootsProblem: String?
            switch settings.roots.source {
            case .system:
                let named = environment["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }
                let usual = Self.usualFiles.first { FileManager.default.isReadableFile(atPath: $0) }
                caFile = named ?? usual
                // A folder is searched for each certificate, which is slow: only where somebody asks for it.
                caFolder = environment["SSL_CERT_DIR"].flatMap { $0.isEmpty ? nil : $0 }
                caBytes = nil
                rootsProblem = nil
            case .file(let path): (caFile, caFolder, caBytes, rootsProblem) = (path, nil, nil, nil)
            case .pem(let bytes):
                (caFile, caFolder, caBytes) = (nil, nil, bytes)
                rootsProblem =
                    library.number >= CurlLibrary.Since.caFromMemory
                    ? nil : "authorities from memory need libcurl 7.77 or newer; name a file instead"
            }
            let newest = settings.maximumVersion?.number ?? .max
            problem =
                newest < settings.minimumVersion.number
                ? "the newest version to speak is older than the oldest" : rootsProblem
        }

        func apply(to easy: CurlEasy) {
            // A session that is taken up again would answer for certificates that have changed since.
            easy.set(NK_CURLOPT_SSL_SESSIONID_CACHE, false)
            if let caBytes {
                easy.set(NK_CURLOPT_CAINFO, nil)
                caBytes.withUnsafeBytes { _ = easy.setBlob(NK_CURLOPT_CAINFO_BLOB, $0) }
            } else {
                easy.set(NK_CURLOPT_CAINFO, caFile)
            }
            easy.set(NK_CURLOPT_CAPATH, caFolder)
            if canCache { easy.set(NK_CURLOPT_CA_CACHE_TIMEOUT, Self.cacheSeconds) }
            // One number holds both, the newest version in its upper half.
            let newest = settings.maximumVersion.map { $0.number << 16 } ?? 0
            easy.set(NK_CURLOPT_SSLVERSION, settings.minimumVersion.number | newest)
            if !settings.pins.isEmpty {
                easy.set(NK_CURLOPT_PINNEDPUBLICKEY, settings.pins.joined(separator: ";"))
            }
            if let identity = settings.identity {
                easy.set(NK_CURLOPT_SSLCERT, identity.certificatePath)
                easy.set(NK_CURLOPT_SSLKEY, identity.keyPath)
                if let passphrase = identity.passphrase { easy.set(NK_CURLOPT_KEYPASSWD, passphrase) }
            }
            guard !settings.verification.isOn else { return }
            easy.set(NK_CURLOPT_SSL_VERIFYPEER, false)
            easy.set(NK_CURLOPT_SSL_VERIFYHOST, false)
        }
    }
#endif
