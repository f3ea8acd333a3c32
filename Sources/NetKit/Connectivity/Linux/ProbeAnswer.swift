#if canImport(Glibc) || canImport(Musl)
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
