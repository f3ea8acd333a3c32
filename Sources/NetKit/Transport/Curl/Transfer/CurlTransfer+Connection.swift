#if canImport(Glibc) || canImport(Musl)
    import CNetKitCurl
    import CNetKitSystem
    import Foundation
    import Synchronization

    /// The connection of a transfer, from its first socket to the request that is sent on it; on the loop's thread.
    extension CurlTransfer {
        /// Checks an established connection on which the request is about to be sent.
        func beginRequest(_ remoteAddress: UnsafePointer<CChar>?, localPort: Int32) -> Int32 {
            // Even if nothing is sent: over HTTP/2, libcurl keeps the connection for later transfers.
            let name = CurlSockets.name(remoteAddress: remoteAddress, localPort: localPort)
            let isNew = withCore { $0.sockets.nameOpened(self, name, localPort: localPort) } ?? false
            // A reused connection may have been made for a call without a guard.
            if let addressGuard, let remoteAddress, !isAllowed(String(cString: remoteAddress), by: addressGuard) {
                return Int32(NK_CURL_PREREQFUNC_ABORT)
            }
            guard mayBeSent() else { return Int32(NK_CURL_PREREQFUNC_ABORT) }
            if watch != nil {
                wasSentBefore = true
                handle?.isUnusable = true
            }
            guard withCore({ $0.mayWrite(self, on: name, isNew: isNew) }) != false else {
                hasToMove = true
                return Int32(NK_CURL_PREREQFUNC_ABORT)
            }
            releaseWaitingCalls()
            noteSendingBegan()
            return Int32(NK_CURL_PREREQFUNC_OK)
        }

        /// Releases the calls that wait for the first connection to the host.
        func releaseWaitingCalls() {
            guard opensConnection else { return }
            opensConnection = false
            loop.slots.noteConnected(address.host)
        }

        /// Creates a socket for an address; returns -1 if the system has none, or if the address guard refuses the
        /// address, which ends the transfer.
        func openSocket(for address: nk_curl_sockaddr) -> Int32 {
            if let addressGuard {
                var address = address
                let text = withUnsafeBytes(of: &address.address) { bytes in
                    SystemLookup.text(of: bytes, count: Int(address.address_length))
                }
                guard let text, isAllowed(text, by: addressGuard) else { return -1 }
            }
            return createSocket(address.family, address.socket_type, address.protocol)
        }

        /// Creates a socket; returns -1 if the system has none, and keeps its error.
        func createSocket(_ family: Int32, _ type: Int32, _ number: Int32) -> Int32 {
            let socket = nk_socket_create(family, type, number)
            socketError = socket < 0 ? errno : 0
            wasSentBefore = hasBegunToSend
            withCore { $0.noteOpened(socket, by: self) }
            return socket
        }

        /// Returns `false` if a proxy keeps the loop's thread busy for too long.
        ///
        /// While bytes of a proxy's response to CONNECT arrive, libcurl does not return, and checks no limit.
        func mayContinue() -> Bool {
            guard !isHeadComplete, head.isAtStart, let start = withCore({ $0.now }) else { return true }
            busyTurns = start == busySince ? busyTurns + 1 : 0
            busySince = start
            // A thread that only had to wait for a processor makes few turns.
            guard busyTurns > 0, busyTurns.isMultiple(of: 1024) else { return true }
            guard stopReason == nil else { return false }
            if let end = attemptEnd, end <= clock.now {
                fail(attempt.timeout(after: context.attemptLimit))
                return false
            }
            guard busyTurns > 10_000, start.duration(to: NetKitClock.system.now) > Self.maxProxyResponseTime else {
                return true
            }
            let name = proxy.map { " `\($0.place)`" } ?? ""
            fail(NetKitError(.proxy, "The proxy\(name) never ends its response to CONNECT. Check the proxy."))
            return false
        }

        /// The time for which a proxy may keep the loop's thread busy at once.
        private static let maxProxyResponseTime = Duration.seconds(1)

        /// Prepares OpenSSL for a new connection.
        ///
        /// OpenSSL watches for a refusal of the client, because libcurl may read it too late to report it.
        func prepareTLS(_ tls: UnsafeMutableRawPointer) {
            guard let api = loop.library.openSSL else { return }
            nk_tls_keep_buffers(api, tls)
            secureNumber = Self.lastSecureNumber.wrappingAdd(1, ordering: .relaxed).newValue
            nk_tls_watch_refusal(api, tls, secureNumber)
        }

        private static let lastSecureNumber = Atomic<UInt32>(0)

        /// Prepares the check of a body that ends with its connection.
        func watchEndOfConnection() {
            guard address.isSecure, !loop.proxies.mayBeSecure, head.declaredLength == nil, !head.isChunked,
                let api = loop.library.openSSL, let connection = handle?.easy.openSSLConnection,
                nk_tls_uses_http2(api, connection) == 0
            else { return }
            closingNumber = nk_tls_watch_end(api, connection)
        }

        /// Throws an error if the body ended with its connection, either before its declared length, or if the server
        /// has not closed the connection with an alert of TLS.
        ///
        /// Such a body may have been cut off on its way (RFC 9112, section 9.8), and libcurl takes it for a whole one.
        func checkEndOfConnection() throws(NetKitError) {
            if head.hasTransferCoding, let length = head.declaredLength, let easy = handle?.easy,
                easy.offset(NK_CURLINFO_SIZE_DOWNLOAD_T) < length,
                HTTPStatus(head.status).mayHaveBody(respondingTo: method)
            {
                let message = "The connection was lost before the \(length) bytes of the response had arrived."
                throw NetKitError(.connectionLost, message, outcome: attempt.outcome)
            }
            guard closingNumber != 0, nk_tls_was_closed(closingNumber) == 0 else { return }
            throw NetKitError(
                .connectionLost,
                "The connection was lost before the response was complete: it has no length, and its end was not "
                    + "confirmed by TLS. Have the server send a Content-Length, or close_notify before it closes.",
                outcome: attempt.outcome
            )
        }

        /// The guard that judges the addresses of connections; `nil` for a proxy or a Unix domain socket.
        private var addressGuard: AddressGuard? {
            guard let addressGuard = context.call.addressGuard, proxy == nil,
                loop.configuration.unixSocketPath == nil
            else { return nil }
            return addressGuard
        }

        /// Returns whether the guard allows a server's address; if not, the transfer fails.
        func isAllowed(_ remoteAddress: String, by addressGuard: AddressGuard) -> Bool {
            do throws(NetKitError) {
                try addressGuard.judge(connectedAddress: remoteAddress, for: url.host(percentEncoded: true))
                return true
            } catch {
                fail(hasBegunToSend ? error.with(outcome: attempt.outcome) : error)
                return false
            }
        }

        /// Whether the request may have been sent on a connection before the one that is being made.
        private var hasBegunToSend: Bool { watch != nil && loop.library.number >= CurlLibrary.Since.beforeRequest }

        /// Whether libcurl is known to have sent nothing of the request since it got the transfer.
        var isUnsent: Bool {
            CurlLibrary.countsRequests(loop.library.number) && handle?.easy.long(NK_CURLINFO_REQUEST_SIZE) ?? 0 == 0
        }

        /// Returns whether the request was not sent before, or may be sent twice from its beginning; if not, the
        /// transfer ends.
        ///
        /// If a reused connection closes before the response, libcurl sends the request again on another one,
        /// regardless of its method, and even if the server has read all of it.
        func mayBeSent() -> Bool {
            if watch == nil || isUnsent || isRepeatable, startBody() { return true }
            stop(NetKitError.lostBeforeResponse(outcome: attempt.outcome))
            return false
        }

        /// Records that bytes of the request may leave from now on, and starts the limits for silence.
        func noteSendingBegan() {
            guard watch == nil else { return }
            attempt.noteSending()
            // libcurl does not ask for a body without bytes, or for one that it has.
            var hasBody = upload.length != 0
            if case .copied(let bytes) = upload {
                noteSent(bytes.count)
                hasBody = false
            }
            watch = IdleTimeout(timeouts: context.timeouts, hasBody: hasBody, start: now)
        }

        var now: NetKitClock.Instant {
            guard isOnSystemClock, let now = withCore({ $0.now }) else { return clock.now }
            return now
        }
    }
#endif
