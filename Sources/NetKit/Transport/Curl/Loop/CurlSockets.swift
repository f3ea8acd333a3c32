#if canImport(Glibc) || canImport(Musl)
    import CNetKitCurl
    import CNetKitSystem

    /// The sockets of a loop: the events for which each is watched, and the connections between two transfers.
    ///
    /// If libcurl stops watching the socket of a connection, the socket stays in the event set, because libcurl soon
    /// watches it again. That saves two system calls for each transfer.
    struct CurlSockets {
        struct Entry {
            /// The events for which it is watched; 0 if it is not in the event set.
            var watched: Int32 = 0
            var isConnection = false
            var isIdle = false
            /// The name of the connection in libcurl; 0 until a request was about to be written on it.
            var name: UInt64 = 0
            /// The transfer that opened or uses it; 0 between two transfers.
            var owner: UInt = 0
            /// Whether the connection uses HTTP/2.
            var isMultiplexed = false
            /// The number of requests that the current wake-up has written, if the connection uses HTTP/2.
            var requestCount = 0
            var tls = TLS.none
        }

        /// The number of requests in a wake-up that a connection sends one by one.
        private static let sentAtOnce = 6

        let set: Int32
        /// A closed connection that replaces those that must not be used again; it lasts until the process ends.
        static let closedConnection = nk_socket_create_closed()
        /// The functions for inspecting TLS, if libcurl's is OpenSSL.
        let tls: UnsafePointer<nk_tls_api>?
        /// The entries, one for each descriptor up to the highest so far.
        var entries: [Entry] = []
        /// The connections that have a name.
        var connections: [(name: UInt64, descriptor: Int32)] = []
        /// The hosts whose status lines named HTTP/2 over HTTP/1; at the maximum, they stand for all hosts.
        ///
        /// libcurl believes them, and then gives requests to the connections in use, whose responses would arrive at
        /// other requests. A proxy may pass such a line on for any host.
        var misleadingHosts: Set<CurlAddress.Host> = []
        static let maxMisleadingHosts = 1024
        /// The HTTP/2 connections on which the current wake-up has written requests.
        private var written: [Int32] = []

        init(set: Int32, tls: UnsafePointer<nk_tls_api>?) { (self.set, self.tls) = (set, tls) }

        /// Records an opened socket, whose number may have belonged to another one before.
        mutating func noteOpened(_ descriptor: Int32, by owner: UInt) {
            noteClosed(descriptor)
            change(descriptor) { $0 = Entry(isConnection: true, owner: owner) }
        }

        /// Watches a socket as libcurl requests.
        mutating func watch(_ descriptor: Int32, _ what: Int32) {
            let set = set
            change(descriptor) { entry in
                var what = what
                entry.isIdle = false
                if what == NK_CURL_POLL_REMOVE || what == NK_CURL_POLL_NONE {
                    guard entry.isConnection else { return Self.forget(descriptor, &entry, in: set) }
                    entry.isIdle = true
                    // An idle connection has room to write, and would wake the thread again and again.
                    guard Int(entry.watched) & NK_CURL_POLL_OUT != 0 else { return }
                    what = Int32(NK_CURL_POLL_IN)
                }
                guard entry.watched != what else { return }
                let isReading: Int32 = what == NK_CURL_POLL_OUT ? 0 : 1
                let isWriting: Int32 = what == NK_CURL_POLL_IN ? 0 : 1
                if nk_epoll_watch(set, descriptor, isReading, isWriting) == 0 { entry.watched = what }
            }
        }

        /// Records that a request is about to be written.
        ///
        /// libcurl writes the requests of a wake-up one by one. If there are many for one HTTP/2 connection, the first
        /// ones are sent at once, so that the server can begin, and the others together.
        mutating func noteRequest(on descriptor: Int32) {
            let count = change(descriptor) { entry in
                if entry.isMultiplexed { entry.requestCount += 1 }
                return entry.requestCount
            }
            if count == 1 { written.append(descriptor) }
            if count == Self.sentAtOnce + 1 { nk_socket_hold(descriptor, 1) }
        }

        /// Sends the requests that were kept back in a wake-up, which is over.
        mutating func sendHeld() {
            for descriptor in written {
                change(descriptor) { entry in
                    if entry.requestCount > Self.sentAtOnce { nk_socket_hold(descriptor, 0) }
                    entry.requestCount = 0
                }
            }
            written.removeAll(keepingCapacity: true)
        }

        /// Returns whether an event is for libcurl.
        ///
        /// An event on an idle connection means that the peer has closed it, or has sent bytes that no request asked
        /// for, so the connection is closed. TLS's own messages, such as a session ticket, are read and do not close
        /// it. HTTP/2 is left to libcurl.
        mutating func isWanted(_ descriptor: Int32) -> Bool {
            let set = set
            if isAtRest(descriptor) {
                if !isQuiet(descriptor) { disconnect(descriptor) }
                return false
            }
            return change(descriptor) { entry in
                guard entry.isIdle else { return true }
                Self.forget(descriptor, &entry, in: set)
                return false
            } ?? true
        }

        private static func forget(_ descriptor: Int32, _ entry: inout Entry, in set: Int32) {
            nk_epoll_forget(set, descriptor)
            entry.watched = 0
        }

        @discardableResult
        private mutating func change<Result>(_ descriptor: Int32, _ body: (inout Entry) -> Result) -> Result? {
            guard descriptor >= 0 else { return nil }
            let index = Int(descriptor)
            if index >= entries.count {
                entries.append(contentsOf: repeatElement(Entry(), count: index - entries.count + 64))
            }
            return body(&entries[index])
        }
    }
#endif
