#if canImport(Glibc) || canImport(Musl)
    import CNetKitSystem
    import Foundation

    /// Properties of an interface from `/sys`, which netlink messages do not contain.
    struct InterfaceFacts: Sendable, Equatable {
        var isWireless = false
        var isBridge = false
        /// Whether a program created it, such as a VPN.
        var isTunnel = false
        /// The type that the driver reports, such as `wlan`, `wwan` or `bridge`.
        var deviceType: String?
    }

    extension InterfaceFacts {
        /// Reads the folder of an interface.
        ///
        /// All values stay at their defaults if the folder is missing.
        ///
        /// `/sys` may belong to another network namespace than the process, so the interface's index is compared as
        /// well.
        init(of link: LinkRecord, in root: String = "/sys/class/net") {
            self.init()
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
        /// Returns whether the link joins interfaces of this machine, which by itself says nothing about a network.
        func isBridge(_ facts: InterfaceFacts) -> Bool {
            facts.isBridge || facts.deviceType == "bridge" || kind == "bridge"
        }

        /// Returns the kind of network that the link leads to.
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
            // Some wireless drivers report themselves as wired, and `/sys` may be hidden. The name then decides by
            // convention.
            if hardware == UInt16(NK_ARPHRD_ETHER) { return kind == nil && name.hasPrefix("wl") ? .wifi : .ethernet }
            return .other
        }
    }
#endif
