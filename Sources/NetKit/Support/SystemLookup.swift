#if canImport(Glibc)
    import CNetKitSystem
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The system's own lookup of names, which blocks its thread.
enum SystemLookup {
    /// Returns the address that a text stands for without a lookup, such as `127.1`; `nil` for a name.
    static func literal(_ host: String) -> [String]? {
        let isIPv6 = host.utf8.contains(UInt8(ascii: ":"))
        // Most names contain another letter.
        guard isIPv6 || host.utf8.allSatisfy({ $0.hexDigitValue != nil || ".x".utf8.contains($0) })
        else { return nil }
        return try? addresses(of: host, flags: AI_NUMERICHOST)
    }

    /// Returns the addresses of a name, each once, in the system's order.
    static func addresses(of host: String, flags: Int32 = 0) throws(ResolverError) -> [String] {
        guard !host.isEmpty, !host.utf8.contains(0) else {
            throw ResolverError(host: host, reason: "it is not a valid host name")
        }
        var hints = addrinfo()
        hints.ai_flags = flags
        #if canImport(Glibc)
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        var found: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, &hints, &found)
        let systemError = errno
        defer { if let found { freeaddrinfo(found) } }
        guard code == 0 else { throw error(of: host, code, systemError) }
        var addresses: [String] = []
        var entry = found
        while let current = entry?.pointee {
            if let address = current.ai_addr {
                let bytes = UnsafeRawBufferPointer(start: address, count: Int(current.ai_addrlen))
                if let text = text(of: bytes, count: bytes.count) { addresses.append(text) }
            }
            entry = current.ai_next
        }
        var seen: Set<String> = []
        return addresses.filter { seen.insert($0).inserted }
    }

    /// Returns the error for a code of `getaddrinfo`, and the system's error at that time.
    static func error(of host: String, _ code: Int32, _ systemError: Int32) -> ResolverError {
        guard code == EAI_SYSTEM, systemError != 0 else {
            let reason = String(cString: gai_strerror(code))
            return ResolverError(host: host, reason: reason, isLocalShortage: code == EAI_MEMORY)
        }
        let shortage = SystemShortage.explanation(of: systemError)
        let reason = shortage ?? String(cString: strerror(systemError))
        return ResolverError(host: host, reason: reason, isLocalShortage: shortage != nil)
    }

    /// Returns the text of a socket's address, without its port.
    static func text(of address: UnsafeRawBufferPointer, count: Int) -> String? {
        guard count <= address.count, count > 0, let base = address.baseAddress else { return nil }
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let size = socklen_t(text.count)
        let socketAddress = base.assumingMemoryBound(to: sockaddr.self)
        guard getnameinfo(socketAddress, socklen_t(count), &text, size, nil, 0, NI_NUMERICHOST) == 0
        else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
    }
}
