#if canImport(Glibc) || canImport(Musl)
    import CNetKitCurl
    import Foundation

    /// The TLS settings for libcurl, determined once for a loop.
    struct CurlTLSOptions: ~Copyable, Sendable {
        /// The paths at which systems keep the trusted authorities.
        static let systemFiles = [
            "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
            "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/cert.pem",
        ]
        /// The number of seconds after which parsed authorities are read again, so that a changed file takes effect.
        private static let cacheSeconds = 60

        private let settings: CurlTransport.TLS
        /// The file of the trusted authorities.
        let caFile: String?
        private let caFolder: String?
        private let caBytes: Data?
        private let canCache: Bool
        let problem: String?

        init(
            _ settings: CurlTransport.TLS,
            library: CurlLibrary,
            environment: [String: String],
            systemFiles: [String] = CurlTLSOptions.systemFiles
        ) {
            self.settings = settings
            canCache = library.number >= CurlLibrary.Since.caCache
            let rootsProblem: String?
            switch settings.roots.source {
            case .system:
                let named = environment["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }
                let found = systemFiles.first { FileManager.default.isReadableFile(atPath: $0) }
                // A folder is used only if the environment names one: it is searched for each certificate, which is
                // slow.
                caFolder = environment["SSL_CERT_DIR"].flatMap { $0.isEmpty ? nil : $0 }
                // An error then names the missing file, instead of the server's certificate, until the file is there.
                caFile = named ?? found ?? (caFolder == nil ? systemFiles.first : nil)
                caBytes = nil
                rootsProblem = nil
            case .file(let path): (caFile, caFolder, caBytes, rootsProblem) = (path, nil, nil, nil)
            case .pem(let bytes):
                (caFile, caFolder, caBytes) = (nil, nil, bytes)
                rootsProblem =
                    library.number >= CurlLibrary.Since.caFromMemory
                    ? nil : "authorities from memory need libcurl 7.77 or newer; name a file instead"
            }
            let newest = settings.maxVersion?.number ?? .max
            let versionProblem =
                newest < settings.minVersion.number ? "the newest version to speak is older than the oldest" : nil
            problem = versionProblem ?? rootsProblem ?? CurlTLSFiles.problem(of: settings)
        }

        /// Sets the options that libcurl has only once, for servers and proxies.
        func applyToAll(of easy: CurlEasy) {
            // A resumed session would vouch for certificates that have changed since.
            easy.set(NK_CURLOPT_SSL_SESSIONID_CACHE, false)
            if canCache { easy.set(NK_CURLOPT_CA_CACHE_TIMEOUT, Self.cacheSeconds) }
        }

        /// Sets the options for servers, and returns the unsupported setting, if any; without it, a connection would be
        /// less safe than requested.
        func apply(to easy: CurlEasy) -> String? {
            if let problem = apply(to: easy, .server) { return problem }
            if !settings.pins.isEmpty {
                let pins = settings.pins.joined(separator: ";")
                guard easy.set(NK_CURLOPT_PINNEDPUBLICKEY, pins) else {
                    return "pinned public keys, or so many of them"
                }
            }
            guard let identity = settings.identity else { return nil }
            guard easy.set(NK_CURLOPT_SSLCERT, identity.certificatePath), easy.set(NK_CURLOPT_SSLKEY, identity.keyPath)
            else { return "client certificates" }
            // The file may be encrypted since it was checked, and OpenSSL would ask on the terminal.
            return easy.set(NK_CURLOPT_KEYPASSWD, identity.passphrase ?? "") ? nil : "client certificates"
        }

        /// Sets the options for proxies that are reached over TLS, and returns the unsupported setting, if any.
        ///
        /// Pins and the client's certificate are for servers only.
        func applyToProxies(of easy: CurlEasy) -> String? {
            apply(to: easy, .proxy).map { "\($0) for proxies" }
        }

        /// Sets the authorities, the versions and the verification for one kind of peer.
        private func apply(to easy: CurlEasy, _ peer: Peer) -> String? {
            guard easy.set(peer.caFile, caFile) else { return "authorities of its own" }
            if let caBytes {
                let isSet = caBytes.withUnsafeBytes { easy.setBlob(peer.caBlob, $0) }
                guard isSet else { return "authorities from memory" }
            }
            // Not every TLS library searches folders; without one there are fewer authorities, not more.
            easy.set(peer.caFolder, caFolder)
            // One number holds both, the newest version in its upper half.
            let newest = settings.maxVersion.map { $0.number << 16 } ?? 0
            guard easy.set(peer.version, settings.minVersion.number | newest) else {
                return "bounds for the version of TLS"
            }
            if !settings.verification.isOn {
                easy.set(peer.verifiesCertificate, false)
                easy.set(peer.verifiesHost, false)
            }
            return nil
        }

        /// The numbers of the options for one kind of peer.
        private struct Peer {
            let caFile, caBlob, caFolder, version, verifiesCertificate, verifiesHost: Int

            static let server = Peer(
                caFile: NK_CURLOPT_CAINFO,
                caBlob: NK_CURLOPT_CAINFO_BLOB,
                caFolder: NK_CURLOPT_CAPATH,
                version: NK_CURLOPT_SSLVERSION,
                verifiesCertificate: NK_CURLOPT_SSL_VERIFYPEER,
                verifiesHost: NK_CURLOPT_SSL_VERIFYHOST
            )
            static let proxy = Peer(
                caFile: NK_CURLOPT_PROXY_CAINFO,
                caBlob: NK_CURLOPT_PROXY_CAINFO_BLOB,
                caFolder: NK_CURLOPT_PROXY_CAPATH,
                version: NK_CURLOPT_PROXY_SSLVERSION,
                verifiesCertificate: NK_CURLOPT_PROXY_SSL_VERIFYPEER,
                verifiesHost: NK_CURLOPT_PROXY_SSL_VERIFYHOST
            )
        }
    }
#endif
