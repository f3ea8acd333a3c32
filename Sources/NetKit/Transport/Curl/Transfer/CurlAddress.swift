import Foundation

/// The URL of a request as text, and the facts that every transfer needs of it.
struct CurlAddress: Sendable {
    /// The scheme, host and port with which a URL begins.
    ///
    /// It is a hash of the text, so that nothing is allocated for a call. If two hosts had the same hash, they would
    /// share places for connections.
    struct Host: Hashable, Sendable {
        private let hash: Int

        fileprivate init(of url: UnsafeRawBufferPointer) {
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
    let isSecure: Bool
    /// Whether the URL may name a user.
    let mayNameUser: Bool

    init(_ url: URL) {
        self.init(text: url.absoluteString)
    }

    /// Creates the address of the text of a URL.
    init(text: String) {
        var text = text
        (host, isSecure, mayNameUser) = text.withUTF8 { utf8 in
            let bytes = UnsafeRawBufferPointer(utf8)
            let isSecure = bytes.begins(with: "https:", ignoringCase: true)
            return (Host(of: bytes), isSecure, bytes.contains(UInt8(ascii: "@")))
        }
        self.text = text
    }
}
