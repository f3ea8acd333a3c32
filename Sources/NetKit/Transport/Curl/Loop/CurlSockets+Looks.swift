#if canImport(Glibc) || canImport(Musl)
    import CNetKitCurl
    import CNetKitSystem

    /// The connection of a request, and the check for bytes that no request asked for.
    ///
    /// An HTTP/1 connection with such bytes is closed at once: when they arrive while it is idle, and at the latest
    /// when it is checked just before the next request. HTTP/2 connections are not checked, because a server may send
    /// frames at any time.
    extension CurlSockets {
        /// The TLS state of a connection.
        enum TLS {
            case none
            /// OpenSSL's object for the connection, which lives until the socket is closed.
            case openSSL(UnsafeMutableRawPointer)
            /// TLS that cannot be inspected.
            case opaque
        }

        /// The result of checking the connection for a request.
        enum Look {
            /// The request may be written.
            case quiet
            /// The request needs another connection; this one is closed or taken.
            case closed
            /// The connection is not known by that name.
            case unknown
        }

        /// Returns the name of a connection, from the values that libcurl reports each time before its use.
        static func name(remoteAddress: UnsafePointer<CChar>?, localPort: Int32) -> UInt64 {
            var hash: UInt64 = 0xCBF2_9CE4_8422_2325
            var next = remoteAddress
            while let byte = next?.pointee, byte != 0 {
                hash = (hash ^ UInt64(UInt8(bitPattern: byte))) &* 0x0000_0100_0000_01B3
                next = next?.advanced(by: 1)
            }
            return (hash ^ UInt64(UInt32(bitPattern: localPort))) &* 0x0000_0100_0000_01B3 | 1
        }

        /// Names the connection that a transfer has opened, if it has opened one.
        mutating func nameOpened(_ transfer: CurlTransfer, _ name: UInt64, localPort: Int32) -> Bool {
            guard !transfer.openedSockets.isEmpty else { return false }
            let owner = transfer.owner
            var own = transfer.openedSockets.filter { entries[Int($0)].owner == owner && entries[Int($0)].name == 0 }
            if own.count > 1 { own = own.filter { nk_socket_local_port($0) == localPort } }
            transfer.openedSockets.removeAll()
            guard own.count == 1, let descriptor = own.first else { return false }
            entries[Int(descriptor)].name = name
            entries[Int(descriptor)].tls = transfer.isSecured ? .opaque : .none
            connections.append((name, descriptor))
            transfer.descriptor = descriptor
            return true
        }

        /// Checks the connection of a name, which a transfer is about to reuse.
        ///
        /// Connections to a Unix domain socket share one name, so all idle ones are checked.
        mutating func look(at name: UInt64, for transfer: CurlTransfer) -> Look {
            transfer.descriptor = nil
            guard let index = connections.lastIndex(where: { $0.name == name }) else { return .unknown }
            let mayBeTaken = mayBeMisled(transfer)
            if connections[..<index].contains(where: { $0.name == name }) {
                return mayBeTaken ? .closed : lookAtAll(named: name)
            }
            let descriptor = connections[index].descriptor
            if mayBeTaken, isTaken(descriptor, from: transfer) { return .closed }
            transfer.descriptor = descriptor
            // Over HTTP/1, the previous transfer is over, even if that is not recorded yet.
            guard isAtRest(descriptor) || !mayBeShared(descriptor) else { return .quiet }
            guard isQuiet(descriptor) else {
                disconnect(descriptor)
                return .closed
            }
            entries[Int(descriptor)].owner = transfer.owner
            return .quiet
        }

        /// Checks the idle connections, or those of one name; the one in use is known only once it is watched.
        @discardableResult
        mutating func lookAtAll(named name: UInt64? = nil) -> Look {
            let readable = connections.filter {
                $0.name == name ?? $0.name && isAtRest($0.descriptor) && !isQuiet($0.descriptor)
            }
            for (_, descriptor) in readable { disconnect(descriptor) }
            return readable.isEmpty ? .quiet : .closed
        }

        /// Returns whether libcurl may give a transfer a connection of HTTP/1 that is in use.
        private func mayBeMisled(_ transfer: CurlTransfer) -> Bool {
            guard !misleadingHosts.isEmpty else { return false }
            return transfer.loop.proxies.areUsed || misleadingHosts.count >= Self.maxMisleadingHosts
                || misleadingHosts.contains(transfer.address.host)
        }

        /// Records a host whose status line names HTTP/2 over HTTP/1.
        mutating func noteMisleading(_ host: CurlAddress.Host) {
            if misleadingHosts.count < Self.maxMisleadingHosts { misleadingHosts.insert(host) }
        }

        /// Returns whether another transfer uses a connection that carries one at a time, or has used it and its end is
        /// not recorded yet.
        private func isTaken(_ descriptor: Int32, from transfer: CurlTransfer) -> Bool {
            let entry = entries[Int(descriptor)]
            guard entry.owner != 0, entry.owner != transfer.owner, !entry.isMultiplexed else { return false }
            return !isOpaque(descriptor) || transfer.handle.map { usesHTTP2($0.easy) == false } ?? false
        }

        /// Returns whether TLS has agreed on HTTP/2 for the connection of a handle; `nil` if TLS cannot be inspected.
        func usesHTTP2(_ easy: CurlEasy) -> Bool? {
            guard let tls, let connection = easy.openSSLConnection else { return nil }
            return nk_tls_uses_http2(tls, connection) != 0
        }

        /// Returns whether other transfers may use a connection: it uses HTTP/2, which is known for sure after its
        /// first head.
        func mayBeShared(_ descriptor: Int32) -> Bool {
            isMultiplexed(descriptor) || entries.indices.contains(Int(descriptor)) && isOpaque(descriptor)
        }

        /// Records that libcurl no longer reads on a connection, because its transfer is over.
        mutating func noteRest(_ descriptor: Int32, after transfer: CurlTransfer) {
            guard entries[Int(descriptor)].name != 0, entries[Int(descriptor)].owner == transfer.owner else { return }
            entries[Int(descriptor)].owner = 0
            // The transfer may have failed. The server's last message is lost once libcurl has ended the transfer.
            if transfer.secureNumber != 0, !transfer.isHeadComplete {
                nk_tls_look_for_refusal(transfer.secureNumber, descriptor)
            }
        }

        /// Returns whether a transfer is known to have opened a connection or to use it.
        func hasOwner(_ descriptor: Int32) -> Bool {
            entries.indices.contains(Int(descriptor)) && entries[Int(descriptor)].owner != 0
        }

        mutating func claim(_ descriptor: Int32, for transfer: CurlTransfer) {
            entries[Int(descriptor)].owner = transfer.owner
            transfer.descriptor = descriptor
        }

        /// Returns whether too little is known about a connection to inspect its TLS.
        func isOpaque(_ descriptor: Int32) -> Bool {
            if case .opaque = entries[Int(descriptor)].tls { !entries[Int(descriptor)].isMultiplexed } else { false }
        }

        /// Returns whether a connection is known to use HTTP/2.
        func isMultiplexed(_ descriptor: Int32) -> Bool {
            entries.indices.contains(Int(descriptor)) && entries[Int(descriptor)].isMultiplexed
        }

        mutating func noteMultiplexed(_ descriptor: Int32) {
            entries[Int(descriptor)].isMultiplexed = true
        }

        mutating func noteTLS(_ descriptor: Int32, _ connection: UnsafeMutableRawPointer) {
            entries[Int(descriptor)].tls = .openSSL(connection)
        }

        /// Releases the connection of a transfer that is over, whose bytes inside the TLS library cause no event.
        mutating func release(_ transfer: CurlTransfer) {
            guard let descriptor = transfer.descriptor else { return }
            noteRest(descriptor, after: transfer)
            guard isAtRest(descriptor) else { return }
            switch entries[Int(descriptor)].tls {
            case .none: return
            case .openSSL(let connection):
                guard let tls, tls.pointee.has_pending(connection) != 0, !isQuiet(descriptor) else { return }
            // It is unknown whether bytes are left.
            case .opaque: break
            }
            disconnect(descriptor)
        }

        /// Returns whether requests may wait to be written on an HTTP/2 connection.
        ///
        /// libcurl does not wait for room in the socket while the server takes nothing more of any body, but the heads
        /// of requests wait for it as well.
        func isWaitingToWrite(_ descriptor: Int32) -> Bool {
            guard mayBeShared(descriptor) else { return false }
            return Int(entries[Int(descriptor)].watched) & NK_CURL_POLL_OUT != 0 || nk_socket_is_full(descriptor) != 0
        }

        /// Returns whether a connection is idle, is not known to use HTTP/2, and has no transfer, not even a paused
        /// one.
        func isAtRest(_ descriptor: Int32) -> Bool {
            guard entries.indices.contains(Int(descriptor)) else { return false }
            let entry = entries[Int(descriptor)]
            return entry.isIdle && entry.owner == 0 && !entry.isMultiplexed
        }

        /// Returns whether there is nothing to read on a connection, neither bytes nor its end.
        func isQuiet(_ descriptor: Int32) -> Bool {
            if case .openSSL(let connection) = entries[Int(descriptor)].tls, let tls {
                return nk_tls_is_quiet(tls, connection, descriptor) != 0
            }
            return nk_socket_is_quiet(descriptor) != 0
        }

        /// Closes a connection without libcurl's knowledge; libcurl finds it dead at the next use.
        mutating func disconnect(_ descriptor: Int32) {
            if entries[Int(descriptor)].watched != 0 { nk_epoll_forget(set, descriptor) }
            nk_socket_replace(descriptor, Self.closedConnection)
            entries[Int(descriptor)].watched = 0
            entries[Int(descriptor)].isIdle = false
            connections.removeAll { $0.descriptor == descriptor }
        }

        /// Ends a connection whose server can no longer be reached.
        ///
        /// Over HTTP/2, a connection outlives the transfers that have given up on it. libcurl would give it to every
        /// later one until the kernel gives up as well, after a quarter of an hour. libcurl reads the end at once, for
        /// the transfers that still wait, or else at the next use.
        func endIfUnreachable(_ descriptor: Int32) {
            guard entries.indices.contains(Int(descriptor)), entries[Int(descriptor)].name != 0 else { return }
            nk_socket_end_if_unreachable(descriptor)
        }

        /// Removes a closed socket, whose number may be reused.
        mutating func noteClosed(_ descriptor: Int32) {
            guard descriptor >= 0, Int(descriptor) < entries.count else { return }
            if entries[Int(descriptor)].name != 0 { connections.removeAll { $0.descriptor == descriptor } }
            entries[Int(descriptor)] = Entry()
        }
    }
#endif
