import Foundation

/// The URL of a request as text, and the facts that every transfer needs of it.
struct CurlAddress: Sendable {
    /// The scheme, host and port with which a URL begins.
    ///
    /// It is a hash of the text, so that nothing is allocated for a call. If two hosts had the same hash, they would
    /// share connection slots.
    struct Host: Hashable, Sendable {
        private let hash: Int
        /// Whether the connections are secured by TLS.
        let isSecure: Bool

        fileprivate init(of url: UnsafeRawBufferPointer) {
            isSecure = url.begins(with: "https:", ignoringCase: true)
            var slashes = 0
            let end = url.firstIndex { byte in
                if byte == UInt8(ascii: "/") { slashes += 1 }
                return slashes == 3 || byte == UInt8(ascii: "?")
            }
            var hasher = Hasher()
            hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: url[..<(end ?? url.endIndex)]))
            hash = hasher.finalize()
        }
    }

    let text: String
    let host: Host
    /// Whether the URL may name a user.
    let mayNameUser: Bool

    init(_ url: URL) { self.init(text: url.absoluteString) }

    var isSecure: Bool { host.isSecure }

    /// Creates the address of the text of a URL.
    init(text: String) {
        var text = text
        (host, mayNameUser) = text.withUTF8 { utf8 in
            let bytes = UnsafeRawBufferPointer(utf8)
            return (Host(of: bytes), bytes.contains(UInt8(ascii: "@")))
        }
        self.text = text
    }
}
