#if canImport(Glibc) || canImport(Musl)
    import CNetKitCurl
    import Foundation

    /// The options of a transfer for libcurl.
    extension CurlTransfer {
        /// Sets the options of the exchange.
        ///
        /// It throws `.unsupported` for an option that libcurl rejects; without it, the request would differ or be less
        /// safe.
        func configure(_ handle: CurlHandle) throws(NetKitError) {
            if !handle.kept.isPrepared { try prepare(handle) }
            // Without that callback, it is unknown whether a request was sent again.
            if loop.library.number < CurlLibrary.Since.beforeRequest { handle.needsReset = true }
            setContext(handle)
            try setTarget(handle)
            try setMethodAndBody(handle)
            try setHeaderLines(handle)
            setSizes(handle)
            if context.call.addressGuard != nil, loop.library.number < CurlLibrary.Since.beforeRequest {
                // Before that version, only new connections can be judged.
                handle.demandNewConnection()
            }
            if address.isSecure, !handle.kept.isSecured {
                if let problem = loop.tls.apply(to: handle.easy) { throw CurlLoop.cannotDo(problem) }
                handle.kept.isSecured = true
            }
        }

        /// Sets the options that are the same for all transfers of a loop.
        private func prepare(_ handle: CurlHandle) throws(NetKitError) {
            let easy = handle.easy
            handle.prepareErrors()
            easy.set(NK_CURLOPT_NOSIGNAL, true)
            easy.set(NK_CURLOPT_PATH_AS_IS, true)
            try need(easy.set(NK_CURLOPT_PROTOCOLS, NK_CURLPROTO_HTTP | NK_CURLPROTO_HTTPS), "protocols to be bounded")
            if loop.library.mustNotSeeFoldAtStart { easy.set(NK_CURLOPT_HEADER, true) }
            loop.tls.applyToAll(of: easy)
            if loop.proxies.areUsed {
                easy.set(NK_CURLOPT_SUPPRESS_CONNECT_HEADERS, true)
                if loop.proxies.mayBeSecure, let problem = loop.tls.applyToProxies(of: easy) {
                    throw CurlLoop.cannotDo(problem)
                }
            }
            installCallbacks(handle)
            setConnections(easy)
            // Otherwise, libcurl reads the environment for each transfer, while another thread may be writing to it.
            try need(easy.set(NK_CURLOPT_PROXY, ""), "proxies")
            try need(easy.set(NK_CURLOPT_NOPROXY, ""), "proxies")
            if let path = loop.configuration.unixSocketPath {
                try need(easy.set(NK_CURLOPT_UNIX_SOCKET_PATH, path), "sockets of the file system")
            }
            handle.kept.isPrepared = true
        }

        private func need(_ isSet: Bool, _ what: String) throws(NetKitError) {
            if !isSet { throw CurlLoop.cannotDo(what) }
        }

        /// The proxy for a request; `nil` if it goes to the server itself.
        var proxy: CurlProxies.Server? {
            guard loop.proxies.areUsed else { return nil }
            return Origin(url).flatMap {
                loop.proxies.server(for: $0, guarded: context.call.addressGuard)
            }
        }

        /// Sets the proxy, the URL, and the server to connect to.
        private func setTarget(_ handle: CurlHandle) throws(NetKitError) {
            if loop.proxies.areUsed {
                try need(handle.easy.set(NK_CURLOPT_PROXY, proxy?.url ?? ""), "this proxy")
            }
            guard loop.hasDetours || address.mayNameUser else {
                return try need(handle.easy.set(NK_CURLOPT_URL, address.text), "URLs of this length")
            }
            var url = url.withoutUserInfo
            if loop.hasDetours, let origin = Origin(url) { url = try detour(url, origin, handle) }
            try need(handle.easy.set(NK_CURLOPT_URL, url.absoluteString), "URLs of this length")
        }

        /// Sets the configured address and server name in place of the URL's, and returns the URL for libcurl.
        private func detour(_ url: URL, _ origin: Origin, _ handle: CurlHandle) throws(NetKitError) -> URL {
            if let address = loop.configuration.addressOverrides[origin.host] {
                try handle.set(addresses: ["\(origin.hostText):\(origin.port):\(address)"])
            }
            guard address.isSecure, let name = loop.configuration.tls.serverName,
                var parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
            else { return url }
            parts.host = name
            try handle.set(connectTo: ["\(name):\(origin.port):\(origin.hostText):\(origin.port)"])
            return parts.url ?? url
        }

        private func setMethodAndBody(_ handle: CurlHandle) throws(NetKitError) {
            let easy = handle.easy
            if method != .get || upload.isPresent { handle.needsReset = true }
            if !isRepeatable, address.isSecure, loop.configuration.httpVersion.isHTTP2Allowed {
                CurlRefusal.listen(self, easy)
            }
            switch upload {
            case .none:
                if method == .head {
                    easy.set(NK_CURLOPT_NOBODY, true)
                } else if method != .get {
                    try need(easy.set(NK_CURLOPT_CUSTOMREQUEST, method.rawValue), "this method")
                }
            case .copied(let bytes):
                bytes.withUnsafeBytes { handle.set(body: $0) }
                if method != .post { try need(easy.set(NK_CURLOPT_CUSTOMREQUEST, method.rawValue), "this method") }
            case .source, .stream:
                easy.set(NK_CURLOPT_UPLOAD, true)
                easy.setOffset(NK_CURLOPT_INFILESIZE_LARGE, upload.length ?? -1)
                easy.set(NK_CURLOPT_UPLOAD_BUFFERSIZE, Self.uploadBufferSize)
                if method != .put { try need(easy.set(NK_CURLOPT_CUSTOMREQUEST, method.rawValue), "this method") }
                installUploadCallbacks(handle)
            }
        }

        private func setHeaderLines(_ handle: CurlHandle) throws(NetKitError) {
            if !upload.isPresent, fields.isEmpty, !method.expectsBody, !loop.hasDetours {
                return handle.easy.setPointer(NK_CURLOPT_HTTPHEADER, loop.plainHeaders.list)
            }
            try handle.set(headerLines: headerLines())
        }

        /// Returns the request's fields, and lines that keep libcurl's own out: a name with nothing after the colon.
        private func headerLines() -> [String] {
            var lines: [String] = []
            lines.reserveCapacity(fields.count + 4)
            var (hasHost, hasAccept, hasType, hasLength, hasCoding) = (false, false, false, false, false)
            var hasCookie = false
            for var field in fields {
                // After a 417, libcurl would repeat the request by itself.
                if HTTPHeaders.isEqual(field.name, "Expect") { continue }
                // One line for all, because servers read only one (RFC 6265, section 5.4).
                if HTTPHeaders.isEqual(field.name, "Cookie") {
                    if hasCookie { continue }
                    hasCookie = true
                    field.value = HTTPHeaders(fields)["Cookie"] ?? ""
                }
                let isBlank = field.value.isHTTPBlank
                lines.append(isBlank ? "\(field.name);" : "\(field.name): \(field.value)")
                switch field.name.utf8.count {
                case 4: hasHost = hasHost || HTTPHeaders.isEqual(field.name, "Host")
                // A part of an encoded body cannot be decoded.
                case 5: hasCoding = hasCoding || HTTPHeaders.isEqual(field.name, "Range")
                case 6: hasAccept = hasAccept || HTTPHeaders.isEqual(field.name, "Accept")
                case 12: hasType = hasType || HTTPHeaders.isEqual(field.name, "Content-Type")
                case 14: hasLength = hasLength || HTTPHeaders.isEqual(field.name, "Content-Length")
                case 15: hasCoding = hasCoding || HTTPHeaders.isEqual(field.name, "Accept-Encoding")
                default: break
                }
            }
            if !hasHost, address.isSecure, loop.configuration.tls.serverName != nil, let origin = Origin(url) {
                lines.append("Host: \(origin.port == 443 ? origin.hostText : "\(origin.hostText):\(origin.port)")")
            }
            if !hasAccept { lines.append(CurlHeaderList.noAccept) }
            if !hasCoding, let line = loop.acceptEncodingLine { lines.append(line) }
            switch upload {
            case .none:
                if method.expectsBody, !hasLength { lines.append("Content-Length: 0") }
            case .copied, .source, .stream:
                lines.append("Expect:")
                if !hasType { lines.append("Content-Type:") }
            }
            return lines
        }

        private func setSizes(_ handle: CurlHandle) {
            let connectLimit = context.timeouts.connect?.curlMilliseconds ?? Int(Int32.max)
            if handle.kept.connectLimit != connectLimit {
                handle.easy.set(NK_CURLOPT_CONNECTTIMEOUT_MS, connectLimit)
                handle.kept.connectLimit = connectLimit
            }
            // A large body takes fewer system calls with more memory. libcurl allocates it for each transfer, which
            // costs a small body more than the rest of its transfer. A head has to fit over HTTP/2; see
            // `leavesStateBehind`.
            let (isLarge, mayBeMultiplexed) = loop.slots.expectation(of: address.host)
            let leastSize = mayBeMultiplexed && loop.library.leavesStateBehind ? 144 << 10 : 16 << 10
            let bufferSize = isLarge ? 256 << 10 : leastSize
            if handle.kept.bufferSize != bufferSize {
                handle.easy.set(NK_CURLOPT_BUFFERSIZE, bufferSize)
                handle.kept.bufferSize = bufferSize
            }
        }

        private func setConnections(_ easy: CurlEasy) {
            let connections = loop.configuration.connections
            easy.set(NK_CURLOPT_MAXAGE_CONN, connections.idleTime.curlSeconds)
            easy.set(NK_CURLOPT_MAXLIFETIME_CONN, connections.maxAge.curlSeconds)
            if connections.maxIdle <= 0 { easy.set(NK_CURLOPT_FORBID_REUSE, true) }
            // The resolver knows the age of an address; libcurl keeps it only for the connection that it makes.
            let nameAge = loop.library.takesAddresses ? 1 : connections.nameCacheTime.curlSeconds
            easy.set(NK_CURLOPT_DNS_CACHE_TIMEOUT, nameAge)
            easy.set(NK_CURLOPT_TCP_KEEPALIVE, true)
            // HTTP/2, if TLS agrees on it, is libcurl's own default.
            if !loop.configuration.httpVersion.isHTTP2Allowed {
                easy.set(NK_CURLOPT_HTTP_VERSION, NK_CURL_HTTP_VERSION_1_1)
            }
        }
    }

    extension Duration {
        /// The number of milliseconds, at least one, because libcurl takes 0 for its own default.
        var curlMilliseconds: Int {
            let (whole, rest) = clampedNanoseconds.quotientAndRemainder(dividingBy: 1_000_000)
            return Int(clamping: min(max(1, whole + (rest > 0 ? 1 : 0)), Int64(Int32.max)))
        }

        fileprivate var curlSeconds: Int {
            Int(clamping: min(max(1, clampedNanoseconds / 1_000_000_000), Int64(Int32.max)))
        }
    }
#endif
