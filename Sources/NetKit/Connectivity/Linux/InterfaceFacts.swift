#if canImport(Glibc) || canImport(Musl)
    import CNetKitSystem
    import Foundation

    /// What the system's files say of an interface, beside what the kernel tells.
    struct InterfaceFacts: Sendable, Hashable {
        var isWireless = false
        var isBridge = false
        /// Made by a program, such as that of a VPN.
        var isTunnel = false
        /// What the driver calls it: `wlan`, `wwan`, `bridge`.
        var deviceType: String?

        init(isWireless: Bool = false, isBridge: Bool = false, isTunnel: Bool = false, deviceType: String? = nil) {
            self.isWireless = isWireless
            self.isBridge = isBridge
            self.isTunnel = isTunnel
            self.deviceType = deviceType
        }

        /// Reads the folder of an interface; nothing is known where it is missing, or that of another interface.
        ///
        /// A process can be in another network than the one its `/sys` was mounted for: the number tells.
        init(of link: LinkRecord, in root: String = "/sys/class/net") {
            guard !link.name.contains("/"), link.name != ".", link.name != ".." else { return }
            let folder = "\(root)/\(link.name)"
            guard let number = Self.text(of: "\(folder)/ifindex"), Int32(digits: number) == link.index else { return }
            let has = { (file: String) in FileManager.default.fileExists(atPath: "\(folder)/\(file)") }
            isWireless = has("wireless") || has("phy80211")
            isBridge = has("bridge")
            isTunnel = has("tun_flags")
            let lines = Self.text(of: "\(folder)/uevent")?.split(separator: "\n") ?? []
            deviceType = lines.first { $0.hasPrefix("DEVTYPE=") }.map { String($0.dropFirst(8)) }
        }

        private static func text(of path: String) -> String? {
            guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
            return text.trimmingCharacters(in: .whitespacesAndNewlines)
        }
    }

    extension LinkRecord {
        /// Whether it joins interfaces of this machine, and says nothing about a network by itself.
        func isBridge(_ facts: InterfaceFacts) -> Bool {
            facts.isBridge || facts.deviceType == "bridge" || kind == "bridge"
        }

        /// The kind of network that it leads to.
        func connectionType(_ facts: InterfaceFacts) -> ConnectionType {
            if isLoopback { return .loopback }
            let wireless = UInt16(NK_ARPHRD_IEEE80211)...UInt16(NK_ARPHRD_IEEE80211_RADIOTAP)
            if facts.isWireless || facts.deviceType == "wlan" || wireless.contains(hardware) { return .wifi }
            if facts.deviceType == "wwan" || hardware == UInt16(NK_ARPHRD_RAWIP) || name.hasPrefix("wwan")
                || name.hasPrefix("rmnet")
            {
                return .cellular
            }
            if facts.isTunnel || kind == "tun" || kind == "wireguard" { return .other }
            // Some wireless drivers show themselves as wired, and `/sys` may be out of sight: names are a habit.
            if hardware == UInt16(NK_ARPHRD_ETHER) { return kind == nil && name.hasPrefix("wl") ? .wifi : .ethernet }
            return .other
        }
    }
#endif
