#if canImport(Glibc) || canImport(Musl)
    import CNetKitCurl
    import Foundation

    /// The TLS settings for libcurl, determined once for a loop.
    struct CurlTLSOptions: Sendable {
        /// The paths at which systems keep the trusted authorities.
        private static let defaultFiles = [
            "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
            "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/cert.pem",
        ]
        /// The number of seconds after which parsed authorities are read again, so that a changed file takes effect.
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
                let usual = Self.defaultFiles.first { FileManager.default.isReadableFile(atPath: $0) }
                caFile = named ?? usual
                // A folder is used only if the environment names one: it is searched for each certificate, which is
                // slow.
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
            let newest = settings.maxVersion?.number ?? .max
            let versionProblem =
                newest < settings.minVersion.number ? "the newest version to speak is older than the oldest" : nil
            problem = versionProblem ?? rootsProblem ?? CurlTLSFiles.problem(of: settings)
        }

        /// Sets the options.
        ///
        /// - Parameter easy: The transfer's handle.
        /// - Returns: The unsupported setting, if any; without it, a connection would be less safe than requested.
        func apply(to easy: CurlEasy) -> String? {
            var problem: String?
            func need(_ isSet: Bool, _ what: String) {
                if !isSet { problem = problem ?? what }
            }
            // A resumed session would vouch for certificates that have changed since.
            easy.set(NK_CURLOPT_SSL_SESSIONID_CACHE, false)
            if let caBytes {
                need(easy.set(NK_CURLOPT_CAINFO, nil), "authorities of its own")
                need(caBytes.withUnsafeBytes { easy.setBlob(NK_CURLOPT_CAINFO_BLOB, $0) }, "authorities from memory")
            } else {
                need(easy.set(NK_CURLOPT_CAINFO, caFile), "authorities of its own")
            }
            // Not every TLS library searches folders; without one there are fewer authorities, not more.
            easy.set(NK_CURLOPT_CAPATH, caFolder)
            if canCache { easy.set(NK_CURLOPT_CA_CACHE_TIMEOUT, Self.cacheSeconds) }
            // One number holds both, the newest version in its upper half.
            let newest = settings.maxVersion.map { $0.number << 16 } ?? 0
            need(
                easy.set(NK_CURLOPT_SSLVERSION, settings.minVersion.number | newest),
                "bounds for the version of TLS"
            )
            if !settings.pins.isEmpty {
                let pins = settings.pins.joined(separator: ";")
                need(easy.set(NK_CURLOPT_PINNEDPUBLICKEY, pins), "pinned public keys, or so many of them")
            }
            if let identity = settings.identity {
                need(easy.set(NK_CURLOPT_SSLCERT, identity.certificatePath), "client certificates")
                need(easy.set(NK_CURLOPT_SSLKEY, identity.keyPath), "client certificates")
                // Without one, OpenSSL would ask for it on the terminal.
                need(easy.set(NK_CURLOPT_KEYPASSWD, identity.passphrase ?? ""), "keys with a passphrase")
            }
            guard !settings.verification.isOn else { return problem }
            easy.set(NK_CURLOPT_SSL_VERIFYPEER, false)
            easy.set(NK_CURLOPT_SSL_VERIFYHOST, false)
            return problem
        }

        /// Sets the authorities, the versions and the verification for proxies that are reached over TLS.
        ///
        /// Pins and the client's certificate are for servers only.
        ///
        /// - Parameter easy: The transfer's handle.
        /// - Returns: The unsupported setting, if any.
        func applyToProxies(of easy: CurlEasy) -> String? {
            var isSet = true
            if let caBytes {
                isSet = easy.set(NK_CURLOPT_PROXY_CAINFO, nil)
                isSet = caBytes.withUnsafeBytes { easy.setBlob(NK_CURLOPT_PROXY_CAINFO_BLOB, $0) } && isSet
            } else {
                isSet = easy.set(NK_CURLOPT_PROXY_CAINFO, caFile)
            }
            easy.set(NK_CURLOPT_PROXY_CAPATH, caFolder)
            let newest = settings.maxVersion.map { $0.number << 16 } ?? 0
            isSet = easy.set(NK_CURLOPT_PROXY_SSLVERSION, settings.minVersion.number | newest) && isSet
            if !settings.verification.isOn {
                easy.set(NK_CURLOPT_PROXY_SSL_VERIFYPEER, false)
                easy.set(NK_CURLOPT_PROXY_SSL_VERIFYHOST, false)
            }
            return isSet ? nil : "TLS settings for proxies"
        }
    }
#endif
