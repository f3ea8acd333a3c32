import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A name the system's resolver has no address for, and what it said.
struct ResolverError: Error {
    let host: String
    let reason: String
}

/// Asks the system for the addresses of a name, on a thread that may block.
enum SystemResolver {
    private static let queue = DispatchQueue(label: "netkit.resolver", qos: .userInitiated, attributes: .concurrent)

    static func addresses(of host: String) async throws -> [String] {
        try await withCheckedThrowingContinuation { continuation in
            addresses(of: host) { continuation.resume(with: $0) }
        }
    }

    /// The same for who does not wait in a task; the answer comes on some thread.
    static func addresses(of host: String, _ answer: @escaping @Sendable (Result<[String], any Error>) -> Void) {
        queue.async { answer(Result { try lookUp(host) }) }
    }

    private static func lookUp(_ host: String) throws -> [String] {
        var found: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, nil, &found)
        defer { if let found { freeaddrinfo(found) } }
        guard code == 0 else {
            throw ResolverError(host: host, reason: String(cString: gai_strerror(code)))
        }
        var addresses: [String] = []
        var entry = found
        while let current = entry?.pointee {
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let size = socklen_t(text.count)
            if getnameinfo(current.ai_addr, current.ai_addrlen, &text, size, nil, 0, NI_NUMERICHOST) == 0 {
                let end = text.firstIndex(of: 0) ?? text.endIndex
                addresses.append(String(decoding: text[..<end].map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self))
            }
            entry = current.ai_next
        }
        var seen: Set<String> = []
        return addresses.filter { seen.insert($0).inserted }
    }
}
