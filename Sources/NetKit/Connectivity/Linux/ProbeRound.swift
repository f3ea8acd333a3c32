#if canImport(Glibc) || canImport(Musl)
    import CNetKitSystem

    /// One round of probes: asks every target, over sockets that do not block; its owner is the monitor's thread.
    final class ProbeRound {
        /// How long an address may take before the next is tried beside it.
        static let headStart = Duration.milliseconds(250)
        /// How many addresses of a name are tried.
        static let addressLimit = 6

        private struct Asked {
            var result: ProbeResult?
            /// What has not been tried yet, the next last.
            var addresses: [String] = []
            var isResolving = false
            var nextStart: NetKitClock.Instant?
            var openCount = 0
        }

        private struct Connection {
            let target: Int
            var unsent: ArraySlice<UInt8>
            var answer: ProbeAnswer?
            var isConnected = false
        }

        let number: Int
        /// When it is over at the latest.
        let deadline: NetKitClock.Instant
        private let policy: ProbePolicy
        private let set: Int32
        private var asked: [Asked]
        private var connections: [Int32: Connection] = [:]

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
            asked = policy.targets.map { _ in Asked() }
            for (index, target) in policy.targets.enumerated() {
                if Self.isNumeric(target.host) {
                    asked[index].addresses = [target.host]
                    asked[index].nextStart = now
                } else {
                    asked[index].isResolving = resolve(index, target.host)
                    judge(index)
                }
            }
        }

        deinit {
            for descriptor in connections.keys { nk_close(descriptor) }
        }

        /// When `start` is due; the end of the round at the latest.
        var wakeTime: NetKitClock.Instant {
            asked.reduce(deadline) { $1.result == nil ? min($0, $1.nextStart ?? $0) : $0 }
        }

        /// What it comes to; nil while it can still go either way.
        func result(now: NetKitClock.Instant) -> ProbeResult? {
            let results = asked.map(\.result)
            return ProbeResult.ofRound(
                now < deadline ? results : results.map { $0 ?? .failed },
                quorum: policy.quorum
            )
        }

        // MARK: - Addresses

        /// Takes the addresses of a target's name: the families by turns, the first as the system gave it.
        func take(_ addresses: [String], of target: Int, now: NetKitClock.Instant) {
            guard asked.indices.contains(target), asked[target].isResolving else { return }
            asked[target].isResolving = false
            asked[target].addresses = Self.order(addresses)
            asked[target].nextStart = now
            judge(target)
        }

        /// The order in which addresses are tried, the first last.
        static func order(_ addresses: [String]) -> [String] {
            var (first, second): ([String], [String]) = ([], [])
            let isSix = addresses.first?.contains(":")
            for address in addresses {
                if address.contains(":") == isSix { first.append(address) } else { second.append(address) }
            }
            var ordered: [String] = []
            for index in 0..<max(first.count, second.count) {
                if index < first.count { ordered.append(first[index]) }
                if index < second.count { ordered.append(second[index]) }
            }
            return ordered.prefix(addressLimit).reversed()
        }

        /// Whether no name has to be looked up.
        static func isNumeric(_ host: String) -> Bool {
            if host.contains(":") { return true }
            let parts = host.split(separator: ".", omittingEmptySubsequences: false)
            return parts.count == 4 && parts.allSatisfy { UInt8(digits: $0) != nil }
        }

        /// Connects to the addresses whose time has come.
        func start(now: NetKitClock.Instant) {
            for index in asked.indices where asked[index].result == nil {
                while let due = asked[index].nextStart, due <= now {
                    guard let address = asked[index].addresses.popLast() else {
                        asked[index].nextStart = nil
                        break
                    }
                    let isLast = asked[index].addresses.isEmpty
                    if connect(to: address, index) {
                        asked[index].nextStart = isLast ? nil : now.advanced(by: Self.headStart)
                    } else {
                        asked[index].nextStart = isLast ? nil : now
                    }
                }
                judge(index)
            }
        }

        private func connect(to address: String, _ index: Int) -> Bool {
            let target = policy.targets[index]
            let descriptor = nk_connect_begin(address, "\(target.port)")
            guard descriptor >= 0 else { return false }
            guard nk_epoll_watch(set, descriptor, 0, 1) == 0 else {
                nk_close(descriptor)
                return false
            }
            var connection = Connection(target: index, unsent: [], answer: nil)
            if case .status(let status, let path) = target.check {
                connection.unsent = ProbeAnswer.request(host: target.host, port: target.port, path: path)[...]
                connection.answer = ProbeAnswer(expecting: status)
            }
            connections[descriptor] = connection
            asked[index].openCount += 1
            return true
        }

        // MARK: - Sockets

        /// Goes on with a connection on which something happened; false where it is none of this round's.
        func handle(_ event: nk_ready) -> Bool {
            guard var connection = connections[event.descriptor] else { return false }
            let verdict = advance(&connection, event)
            if let verdict {
                close(event.descriptor)
                switch verdict {
                case .failed: noteFailure(of: connection.target)
                case .reached, .portal: settle(connection.target, verdict)
                }
            } else {
                connections[event.descriptor] = connection
            }
            return true
        }

        /// The result, as soon as there is one.
        private func advance(_ connection: inout Connection, _ event: nk_ready) -> ProbeResult? {
            if !connection.isConnected {
                guard nk_socket_error(event.descriptor) == 0, event.has_failed == 0 else { return .failed }
                guard event.is_writable != 0 else { return nil }
                connection.isConnected = true
            }
            guard var answer = connection.answer else { return .reached }
            if !connection.unsent.isEmpty {
                let sent = connection.unsent.withUnsafeBytes { bytes in
                    bytes.baseAddress.map { nk_send_some(event.descriptor, $0, bytes.count) } ?? -1
                }
                guard sent >= 0 else { return .failed }
                connection.unsent = connection.unsent.dropFirst(sent)
                let isSending = !connection.unsent.isEmpty
                guard nk_epoll_watch(set, event.descriptor, 1, isSending ? 1 : 0) == 0 else { return .failed }
            }
            guard event.is_readable != 0 else { return event.has_failed != 0 ? .failed : nil }
            var bytes = [UInt8](repeating: 0, count: 2048)
            let count = bytes.withUnsafeMutableBytes { bytes in
                bytes.baseAddress.map { nk_receive_some(event.descriptor, $0, bytes.count) } ?? -1
            }
            if count == Int(NK_RECEIVE_NOTHING_YET) { return nil }
            guard count > 0 else { return .failed }
            let verdict = answer.take(bytes.prefix(count))
            connection.answer = answer
            return verdict
        }

        private func close(_ descriptor: Int32) {
            guard let connection = connections.removeValue(forKey: descriptor) else { return }
            asked[connection.target].openCount -= 1
            nk_epoll_forget(set, descriptor)
            nk_close(descriptor)
        }

        private func settle(_ target: Int, _ result: ProbeResult) {
            asked[target].result = result
            let open = connections.filter { $0.value.target == target }.map(\.key)
            for descriptor in open { close(descriptor) }
        }

        /// The next address is tried at once; the target has failed where none is left.
        private func noteFailure(of target: Int) {
            // That is long past: `start` does it, which runs behind the events.
            if !asked[target].addresses.isEmpty { asked[target].nextStart = NetKitClock.Instant(nanoseconds: 0) }
            judge(target)
        }

        private func judge(_ index: Int) {
            let state = asked[index]
            if state.result == nil, !state.isResolving, state.addresses.isEmpty, state.openCount == 0 {
                asked[index].result = .failed
            }
        }
    }

    /// What asking a target has shown.
    enum ProbeResult: Sendable, Hashable {
        case reached
        /// Somebody else answered in the target's name.
        case portal
        case failed

        /// What the results of a round come to; nil while it can still go either way.
        ///
        /// - Parameters:
        ///   - results: One for each target; nil where none is known yet.
        ///   - quorum: How many targets have to be reached.
        /// - Returns: The result of the round.
        static func ofRound(_ results: [ProbeResult?], quorum: Int) -> ProbeResult? {
            if results.count(where: { $0 == .reached }) >= quorum { return .reached }
            guard !results.contains(nil) else { return nil }
            return results.contains(.portal) ? .portal : .failed
        }
    }

    /// The answer to a probe's `GET`, as far as it has come: only its first line counts.
    struct ProbeAnswer {
        /// A first line is not longer.
        static let limit = 1024

        private let expected: Int
        private var line: [UInt8] = []

        init(expecting status: Int) {
            expected = status
        }

        /// What is sent for it.
        static func request(host: String, port: UInt16, path: String) -> [UInt8] {
            let name = host.contains(":") ? "[\(host)]" : host
            let address = port == 80 ? name : "\(name):\(port)"
            let lines = [
                "GET \(path) HTTP/1.1", "Host: \(address)", "User-Agent: NetKit", "Accept: */*",
                "Cache-Control: no-cache", "Connection: close", "", "",
            ]
            return Array(lines.joined(separator: "\r\n").utf8)
        }

        /// Takes what has arrived; the result as soon as it is clear.
        mutating func take(_ bytes: some Sequence<UInt8>) -> ProbeResult? {
            for byte in bytes {
                if byte == UInt8(ascii: "\n") { return verdict }
                line.append(byte)
                // Whatever that is, the target does not speak like this.
                if line.count > Self.limit { return .portal }
            }
            return nil
        }

        /// Something that is no HTTP, or another status than the page has, is said by somebody in between; a status that tells
        /// of trouble on the way, or at the server, is a failure like any other.
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
