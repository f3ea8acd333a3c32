#if canImport(Glibc) || canImport(Musl)
    import Foundation

    /// Checks of certificates, keys and pins when a transport is created, and not only when it connects.
    enum CurlTLSFiles {
        /// Returns the reason why settings cannot be used, as the end of a sentence.
        static func problem(of settings: CurlTransport.TLS) -> String? {
            rootsProblem(settings.roots) ?? settings.pins.lazy.compactMap(pinProblem).first
                ?? settings.identity.flatMap(identityProblem)
        }

        private static func rootsProblem(_ roots: CurlTransport.Roots) -> String? {
            switch roots.source {
            case .system: nil
            case .pem(let text): certificatesProblem(text, "the PEM text of the authorities")
            case .file(let path): fileProblem(path, "the file of the authorities", certificatesProblem)
            }
        }

        private static func identityProblem(_ identity: CurlTransport.Identity) -> String? {
            fileProblem(identity.certificatePath, "the file of the client's certificate", certificatesProblem)
                ?? fileProblem(identity.keyPath, "the file of the client's key") { text, name in
                    keyProblem(text, name, hasPassphrase: identity.passphrase != nil)
                }
        }

        private static func fileProblem(
            _ path: String,
            _ what: String,
            _ problem: (Data, String) -> String?
        ) -> String? {
            let name = "\(what), \"\(path)\","
            do {
                return problem(try Data(contentsOf: URL(fileURLWithPath: path)), name)
            } catch {
                let isThere = FileManager.default.fileExists(atPath: path)
                return "\(name) \(isThere ? "cannot be read" : "is not there")"
            }
        }

        private static func certificatesProblem(_ text: Data, _ name: String) -> String? {
            let blocks = blocks(in: text).filter { $0.label.hasSuffix("CERTIFICATE") }
            if blocks.isEmpty { return "\(name) has no certificate in PEM" }
            guard let damaged = blocks.firstIndex(where: { !isSequence($0.content) }) else { return nil }
            return "\(name) has a certificate that cannot be decoded, number \(damaged + 1)"
        }

        private static func keyProblem(_ text: Data, _ name: String, hasPassphrase: Bool) -> String? {
            let keys = blocks(in: text).filter { $0.label.hasSuffix("PRIVATE KEY") }
            if keys.isEmpty { return "\(name) has no private key in PEM" }
            // A key in the old encrypted format has lines before its Base64.
            let isOldFormat = String(decoding: text, as: UTF8.self).contains("DEK-Info")
            if isOldFormat || keys[0].label.hasPrefix("ENCRYPTED"), !hasPassphrase {
                return "\(name) is encrypted; give its passphrase"
            }
            let isSound = isOldFormat || keys.contains { isSequence($0.content) }
            return isSound ? nil : "\(name) has a private key that cannot be decoded"
        }

        private static func pinProblem(_ pin: String) -> String? {
            let prefix = "sha256//"
            if pin.hasPrefix(prefix), Data(base64Encoded: String(pin.dropFirst(prefix.count)))?.count == 32 {
                return nil
            }
            return "the pin \"\(NetKitError.oneLine(pin, limit: 80))\" is not `sha256//` and 32 bytes in Base64"
        }

        /// Returns the blocks of a PEM text; a block that cannot be decoded is empty.
        private static func blocks(in text: Data) -> [(label: String, content: Data)] {
            var blocks: [(String, Data)] = []
            var label: String?
            var lines: [Substring] = []
            for line in String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline) {
                let line = line.drop { $0.isWhitespace }
                if line.hasPrefix("-----BEGIN "), let end = line.dropFirst(11).firstRange(of: "-----") {
                    (label, lines) = (String(line.dropFirst(11)[..<end.lowerBound]), [])
                } else if line.hasPrefix("-----END "), let open = label {
                    let content = lines.joined().filter { !$0.isWhitespace }
                    blocks.append((open, Data(base64Encoded: content) ?? Data()))
                    label = nil
                } else if label != nil {
                    lines.append(line)
                }
            }
            return blocks
        }

        /// Returns whether bytes are an ASN.1 sequence.
        private static func isSequence(_ bytes: Data) -> Bool {
            let bytes = [UInt8](bytes)
            guard bytes.count > 2, bytes[0] == 0x30 else { return false }
            guard bytes[1] & 0x80 != 0 else { return bytes.count == 2 + Int(bytes[1]) }
            let count = Int(bytes[1] & 0x7F)
            guard (1...4).contains(count), bytes.count > 2 + count else { return false }
            let length = bytes[2..<2 + count].reduce(0) { $0 << 8 | Int($1) }
            // In OpenSSL's trusted certificates, the trusted purposes follow the sequence.
            return bytes.count >= 2 + count + length
        }
    }
#endif
