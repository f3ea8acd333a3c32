#if canImport(Glibc) || canImport(Musl)
    import CNetKitSystem

    /// One round of probes over non-blocking sockets, used only on the monitor's thread.
    final class ProbeRound {
        /// The time that an address has before the next one is tried in parallel.
        static let headStart = Duration.milliseconds(250)
        /// The maximum number of addresses that are tried for a name.
        static let maxAddresses = 6

        private struct Target {
            var result: ProbeResult?
            /// The addresses to try, with the next one last.
            var addresses: [String] = []
            var isResolving = false
            var nextStart: NetKitClock.Instant?
            var openCount = 0
            /// Whether this machine lacked the resources to try an address.
            var isUntried = false

            /// The result if no connection to the target succeeds.
            var failure: ProbeResult { isUntried ? .untried : .failed }
        }

        private final class Connection {
            let descriptor: Int32
            let target: Int
            var unsent: ArraySlice<UInt8> = []
            var response: ProbeResponse?
            var isConnected = false

            init(_ descriptor: Int32, to target: Int) { (self.descriptor, self.target) = (descriptor, target) }
        }

        let number: Int
        /// The time at which the round ends at the latest.
        let deadline: NetKitClock.Instant
        private let policy: ProbePolicy
        private let set: Int32
        private var targets: [Target]
        private var connections: [Connection] = []

        init(
            number: Int,
            policy: ProbePolicy,
            set: Int32,
            now: NetKitClock.Instant,
            resolve: (_ target: Int, _ host: String) -> Bool
        ) {
            self.number = number
            self.policy = policy
            self.set = set
            deadline = now.advanced(by: policy.timeout)
            targets = policy.targets.map { _ in Target() }
            for (index, target) in policy.targets.enumerated() {
                if Self.isNumeric(target.host) {
                    targets[index].addresses = [target.host]
                    targets[index].nextStart = now
                } else {
                    targets[index].isResolving = resolve(index, target.host)
                    judge(index)
                }
            }
        }

        deinit {
            for connection in connections { nk_close(connection.descriptor) }
        }

        /// The time at which `start` is due, at the latest the end of the round.
        var wakeTime: NetKitClock.Instant {
            targets.reduce(deadline) { $1.result == nil ? min($0, $1.nextStart ?? $0) : $0 }
        }

        /// Returns the result, or `nil` while the round is running.
        func result(now: NetKitClock.Instant) -> ProbeResult? {
            let isOver = now >= deadline
            let results = targets.map { $0.result ?? (isOver ? $0.failure : nil) }
            return ProbeResult.ofRound(results, quorum: policy.quorum)
        }

        // MARK: - Addresses

        /// Takes the addresses of a target's name.
        func take(_ lookup: NameResolver.Lookup, of target: Int, now: NetKitClock.Instant) {
            guard targets.indices.contains(target), targets[target].isResolving else { return }
            targets[target].isResolving = false
            switch lookup {
            case .success(let addresses): targets[target].addresses = Self.order(addresses)
            case .failure(let error): targets[target].isUntried = (error as? ResolverError)?.isLocalShortage ?? false
            }
            targets[target].nextStart = now
            judge(target)
        }

        /// Returns the addresses in the order in which they are tried, with the first one last.
        ///
        /// The families alternate, beginning with the family that the system prefers.
        static func order(_ addresses: [String]) -> [String] {
            let isSix = addresses.first?.contains(":")
            let first = addresses.filter { $0.contains(":") == isSix }
            let second = addresses.filter { $0.contains(":") != isSix }
            var ordered: [String] = []
            for index in 0..<max(first.count, second.count) {
                if index < first.count { ordered.append(first[index]) }
                if index < second.count { ordered.append(second[index]) }
            }
            return ordered.prefix(maxAddresses).reversed()
        }

        /// Returns whether a host is an address, which needs no lookup.
        static func isNumeric(_ host: String) -> Bool {
            if host.contains(":") { return true }
            let parts = host.split(separator: ".", omittingEmptySubsequences: false)
            return parts.count == 4 && parts.allSatisfy { UInt8(digits: $0) != nil }
        }

        /// Connects to the addresses that are due.
        func start(now: NetKitClock.Instant) {
            for index in targets.indices where targets[index].result == nil {
                while let due = targets[index].nextStart, due <= now {
                    guard let address = targets[index].addresses.popLast() else {
                        targets[index].nextStart = nil
                        break
                    }
                    let isLast = targets[index].addresses.isEmpty
                    if connect(to: address, index) {
                        targets[index].nextStart = isLast ? nil : now.advanced(by: Self.headStart)
                    } else {
                        targets[index].nextStart = isLast ? nil : now
                    }
                }
                judge(index)
            }
        }

        private func connect(to address: String, _ index: Int) -> Bool {
            let target = policy.targets[index]
            let descriptor = nk_connect_begin(address, "\(target.port)")
            guard descriptor >= 0 else {
                if SystemShortage.explanation(of: -descriptor) != nil { targets[index].isUntried = true }
                return false
            }
            guard nk_epoll_watch(set, descriptor, 0, 1) == 0 else {
                nk_close(descriptor)
                targets[index].isUntried = true
                return false
            }
            let connection = Connection(descriptor, to: index)
            if case .status(let status, let path) = target.check {
                connection.unsent = ProbeResponse.request(host: target.host, port: target.port, path: path)[...]
                connection.response = ProbeResponse(expecting: status)
            }
            connections.append(connection)
            targets[index].openCount += 1
            return true
        }

        // MARK: - Sockets

        /// Advances the connection of an event.
        ///
        /// Returns `false` if it does not belong to this round.
        func handle(_ event: nk_ready) -> Bool {
            guard let connection = connections.first(where: { $0.descriptor == event.descriptor }) else { return false }
            guard let verdict = advance(connection, event) else { return true }
            close(connection)
            switch verdict {
            case .failed: noteFailure(of: connection.target)
            case .untried:
                targets[connection.target].isUntried = true
                noteFailure(of: connection.target)
            case .reached, .portal: settle(connection.target, verdict)
            }
            return true
        }

        /// Returns the result of the connection, or `nil` while there is none yet.
        private func advance(_ connection: Connection, _ event: nk_ready) -> ProbeResult? {
            if !connection.isConnected {
                guard nk_socket_error(event.descriptor) == 0, event.has_failed == 0 else { return .failed }
                guard event.is_writable != 0 else { return nil }
                connection.isConnected = true
            }
            guard var response = connection.response else { return .reached }
            if !connection.unsent.isEmpty {
                let sent = connection.unsent.withUnsafeBytes { bytes in
                    bytes.baseAddress.map { nk_send_some(event.descriptor, $0, bytes.count) } ?? -1
                }
                guard sent >= 0 else { return .failed }
                connection.unsent = connection.unsent.dropFirst(sent)
                let isSending = !connection.unsent.isEmpty
                guard nk_epoll_watch(set, event.descriptor, 1, isSending ? 1 : 0) == 0 else { return .untried }
            }
            guard event.is_readable != 0 else { return event.has_failed != 0 ? .failed : nil }
            var bytes = [UInt8](repeating: 0, count: 2048)
            let count = bytes.withUnsafeMutableBytes { bytes in
                bytes.baseAddress.map { nk_receive_some(event.descriptor, $0, bytes.count) } ?? -1
            }
            if count == Int(NK_RECEIVE_NOTHING_YET) { return nil }
            guard count > 0 else { return .failed }
            let verdict = response.take(bytes.prefix(count))
            connection.response = response
            return verdict
        }

        private func close(_ connection: Connection) {
            connections.removeAll { $0 === connection }
            targets[connection.target].openCount -= 1
            nk_epoll_forget(set, connection.descriptor)
            nk_close(connection.descriptor)
        }

        private func settle(_ target: Int, _ result: ProbeResult) {
            targets[target].result = result
            for connection in connections where connection.target == target { close(connection) }
        }

        /// Tries the next address at once.
        ///
        /// The target has failed if none is left.
        private func noteFailure(of target: Int) {
            // A time in the past, so that `start`, which runs after the events, connects at once.
            if !targets[target].addresses.isEmpty { targets[target].nextStart = NetKitClock.Instant(nanoseconds: 0) }
            judge(target)
        }

        private func judge(_ index: Int) {
            let state = targets[index]
            if state.result == nil, !state.isResolving, state.addresses.isEmpty, state.openCount == 0 {
                targets[index].result = state.failure
            }
        }
    }

    /// The result of probing a target.
    enum ProbeResult: Sendable, Hashable {
        case reached
        /// A response from something other than the target.
        case portal
        case failed
        /// The target may have failed only because this machine lacks file descriptors, threads or memory.
        case untried

        /// Returns the result of a round, or `nil` while the round is running.
        ///
        /// `quorum` is the number of targets that have to be reached. The result of a target is `nil` if it is not
        /// known yet.
        static func ofRound(_ results: [ProbeResult?], quorum: Int) -> ProbeResult? {
            if results.count(where: { $0 == .reached }) >= quorum { return .reached }
            guard !results.contains(nil) else { return nil }
            return results.contains(.portal) ? .portal : results.contains(.untried) ? .untried : .failed
        }
    }

    /// The response to a probe's `GET`; only its first line counts.
    struct ProbeResponse {
        /// The maximum length of the first line.
        static let maxLineLength = 1024

        private let expected: Int
        private var line: [UInt8] = []

        init(expecting status: Int) { expected = status }

        /// Returns the bytes of the request.
        static func request(host: String, port: UInt16, path: String) -> [UInt8] {
            let name = host.asURLHost
            let address = port == 80 ? name : "\(name):\(port)"
            let lines = [
                "GET \(path) HTTP/1.1", "Host: \(address)", "User-Agent: NetKit", "Accept: */*",
                "Cache-Control: no-cache", "Connection: close", "", "",
            ]
            return Array(lines.joined(separator: "\r\n").utf8)
        }

        /// Appends received bytes.
        ///
        /// Returns the result as soon as it is clear.
        mutating func take(_ bytes: some Sequence<UInt8>) -> ProbeResult? {
            for byte in bytes {
                if byte == UInt8(ascii: "\n") { return verdict }
                line.append(byte)
                // No HTTP server sends such a line.
                if line.count > Self.maxLineLength { return .portal }
            }
            return nil
        }

        /// The result of a complete first line.
        ///
        /// A line that is not HTTP, or an unexpected status, comes from an intermediary. A server error is a failure.
        private var verdict: ProbeResult {
            let text = String(decoding: line, as: UTF8.self)
            let words = text.split(separator: " ", maxSplits: 2)
            guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(digits: words[1].prefix(3)) else {
                return .portal
            }
            if status == expected { return .reached }
            return status >= 500 && status != 511 ? .failed : .portal
        }
    }
#endif
