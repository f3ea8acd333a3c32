#if canImport(Glibc) || canImport(Musl)
    import CNetKitCurl
    import CNetKitSystem

    /// The connections of transfers, as libcurl's callbacks report them.
    extension CurlLoopCore {
        /// Sets the options that hold for all transfers.
        func configure(_ configuration: CurlTransport.Configuration) {
            let functions = library.functions
            let context = Unmanaged.passUnretained(self).toOpaque()
            let set = { (option: Int, value: Int) in
                _ = nk_curl_multi_set_long(functions, self.multi, Int32(option), value)
            }
            set(NK_CURLMOPT_PIPELINING, NK_CURLPIPE_MULTIPLEX)
            boundConnections(with: 0)
            set(NK_CURLMOPT_MAX_HOST_CONNECTIONS, configuration.connections.maxPerHost)
            set(NK_CURLMOPT_MAX_TOTAL_CONNECTIONS, configuration.connections.maxTotal)
            _ = nk_curl_multi_set_pointer(functions, multi, Int32(NK_CURLMOPT_SOCKETDATA), context)
            _ = nk_curl_multi_set_socket_callback(functions, multi) { easy, descriptor, what, context, _ in
                CurlLoopCore.with(context) { $0.watch(descriptor, what, for: easy) }
                return 0
            }
            _ = nk_curl_multi_set_pointer(functions, multi, Int32(NK_CURLMOPT_TIMERDATA), context)
            _ = nk_curl_multi_set_timer_callback(functions, multi) { _, milliseconds, context in
                CurlLoopCore.with(context) { core in
                    core.timer = milliseconds < 0 ? nil : nk_milliseconds() + Int64(milliseconds)
                }
                return 0
            }
        }

        /// Sets the number of connections that libcurl keeps: the idle ones, and those of all transfers but one, which
        /// is over when its connection becomes idle.
        ///
        /// libcurl's bound counts the connections in use as well. Above it, each exchange that ends closes an idle one,
        /// so with a bound for the idle ones alone, calls that wait for a slow host would make all other hosts lose
        /// their connections. The bound is too high while transfers share connections, and for transfers that end in
        /// the same wake-up. For 0, libcurl would choose a bound of its own; each transfer closes its connection
        /// instead.
        func boundConnections(with transferCount: Int) {
            let count = maxIdle + max(0, transferCount - 1)
            _ = nk_curl_multi_set_long(library.functions, multi, Int32(NK_CURLMOPT_MAXCONNECTS), count)
        }

        /// Removes a transfer from libcurl, so that it can begin again.
        func takeOut(_ transfer: CurlTransfer) {
            (transfer.hasToMove, transfer.descriptor) = (false, nil)
            transfer.openedSockets.removeAll()
            guard let handle = transfer.handle else { return }
            takeOut(handle, of: transfer)
            handle.forgetError()
        }

        /// Gives a transfer to libcurl.
        func add(_ transfer: CurlTransfer) {
            guard let handle = transfer.handle else {
                return end(transfer, code: Int32(NK_CURLE_OUT_OF_MEMORY))
            }
            let result = library.functions.pointee.multi_add_handle(multi, handle.easy.handle)
            transfer.hasBegun = true
            if result != 0 { end(transfer, code: Int32(NK_CURLE_FAILED_INIT)) }
        }

        func noteOpened(_ descriptor: Int32, by transfer: CurlTransfer) {
            guard descriptor >= 0 else { return }
            sockets.noteOpened(descriptor, by: transfer.owner)
            // After an address that refused, the socket for the next one usually has the same number.
            if !transfer.openedSockets.contains(descriptor) { transfer.openedSockets.append(descriptor) }
        }

        /// Closes a socket that libcurl no longer uses.
        func close(_ descriptor: Int32) {
            freeReferencedHandles(of: descriptor)
            sockets.noteClosed(descriptor)
            nk_close(descriptor)
        }

        /// Watches a socket as libcurl requests, and records its connection's owner; a paused transfer keeps its own.
        func watch(_ descriptor: Int32, _ what: Int32, for easy: OpaquePointer?) {
            let isOver = what == NK_CURL_POLL_REMOVE || what == NK_CURL_POLL_NONE
            if isOver ? sockets.hasOwner(descriptor) : sockets.isAtRest(descriptor),
                let transfer = easy.flatMap(transfer(of:))
            {
                if !isOver {
                    sockets.claim(descriptor, for: transfer)
                } else if !transfer.isReceivingPaused, !transfer.isSendingPaused {
                    sockets.noteRest(descriptor, after: transfer)
                }
            }
            sockets.watch(descriptor, what)
        }

        private func transfer(of easy: OpaquePointer) -> CurlTransfer? {
            CurlTransfer.of(CurlEasy(functions: library.functions, handle: easy).pointer(NK_CURLINFO_PRIVATE))
        }

        /// Checks the connection for a request that is about to be written; returns `false` if it needs another one.
        ///
        /// For a reused connection, this is one system call, and nothing is allocated.
        func mayWrite(_ transfer: CurlTransfer, on name: UInt64, isNew: Bool) -> Bool {
            requestCount += 1
            transfer.handle?.requestNumber = requestCount
            if isNew { return true }
            switch sockets.look(at: name, for: transfer) {
            case .quiet:
                if let descriptor = transfer.descriptor { sockets.noteRequest(on: descriptor) }
                return true
            case .closed: return false
            // A new connection may be used, even if it cannot be identified.
            case .unknown: return transfer.handle?.easy.long(NK_CURLINFO_NUM_CONNECTS) ?? 0 > 0
            }
        }

        /// Returns whether the connection of a transfer uses HTTP/2; `nil` if that is unknown.
        ///
        /// Before the first response, TLS knows the protocol that both sides have agreed on.
        func isMultiplexed(_ descriptor: Int32, of transfer: CurlTransfer) -> Bool? {
            guard sockets.isOpaque(descriptor) else { return sockets.isMultiplexed(descriptor) }
            if let known = transfer.handle.flatMap({ sockets.usesHTTP2($0.easy) }) { return known }
            return transfer.loop.slots.expectation(of: transfer.address.host).mayBeMultiplexed ? nil : false
        }

        /// Checks a status line that names HTTP/2.
        func noteClaimOfHTTP2(_ transfer: CurlTransfer) {
            if let descriptor = transfer.descriptor, sockets.isMultiplexed(descriptor) { return }
            // The connection may have no name of its own, but TLS knows what both sides have agreed on.
            let isSecure = transfer.address.isSecure
            guard !isSecure || transfer.handle.flatMap({ sockets.usesHTTP2($0.easy) }) == false else { return }
            sockets.noteMisleading(transfer.address.host)
        }

        /// Records the facts about a connection that are known once a response has begun on it.
        func noteHead(_ transfer: CurlTransfer) {
            if library.number < CurlLibrary.Since.beforeRequest {
                _ = sockets.nameOpened(transfer, 1, localPort: 0)
                transfer.releaseWaitingCalls()
            }
            guard let descriptor = transfer.descriptor, sockets.isOpaque(descriptor),
                let easy = transfer.handle?.easy
            else { return }
            // The status line of a server over HTTP/1 may name HTTP/2 as well.
            let isMultiplexed =
                easy.long(NK_CURLINFO_HTTP_VERSION) >= NK_CURL_HTTP_VERSION_2_0 && sockets.usesHTTP2(easy) != false
            transfer.loop.slots.noteVersion(of: transfer.address.host, isMultiplexed: isMultiplexed)
            if isMultiplexed {
                sockets.noteMultiplexed(descriptor)
            } else if transfer.address.isSecure, !transfer.loop.proxies.mayBeSecure, library.openSSL != nil,
                let connection = easy.openSSLConnection
            {
                sockets.noteTLS(descriptor, connection)
            }
        }
    }
#endif
