#if canImport(Glibc) || canImport(Musl)
    import CNetKitSystem
    import Foundation

    /// Reads the links from `/proc/net`, for systems on which netlink is not allowed.
    struct LinkPoll {
        /// The time between two reads.
        static let interval = Duration.seconds(1)

        /// The folder of the tables.
        var root = "/proc/net"
        /// The function that looks up an interface.
        var link: (String) -> LinkRecord? = LinkPoll.link

        /// Updates a table.
        ///
        /// Returns `false` and leaves the table unchanged if the interfaces cannot be read, if none of them can be
        /// looked up, or if the routes of neither IPv4 nor IPv6 can be read.
        func read(into table: inout LinkTable) -> Bool {
            guard let interfaces = text(of: "dev") else { return false }
            let (routes4, routes6) = (text(of: "route"), text(of: "ipv6_route"))
            // Without IPv6, the kernel has only one of the two. Without both, the table would never have a route.
            guard routes4 != nil || routes6 != nil else { return false }
            let names = ProcNetTables.interfaces(in: interfaces)
            let records = names.compactMap(link)
            // An interface may be gone by now. If all are, the system refuses the lookup.
            guard names.isEmpty || !records.isEmpty else { return false }
            table.beginRefresh()
            var indices: [Substring: Int32] = [:]
            for record in records {
                indices[Substring(record.name)] = record.index
                table.apply(.link(record))
            }
            let routes =
                ProcNetTables.routes(in: routes4 ?? "") { indices[$0] }
                + ProcNetTables.routes6(in: routes6 ?? "") { indices[$0] }
            table.apply(.route(routes, replacing: false))
            table.endRefresh()
            return true
        }

        private func text(of file: String) -> String? {
            try? String(contentsOfFile: "\(root)/\(file)", encoding: .utf8)
        }

        /// Returns the system's record of an interface.
        static func link(_ name: String) -> LinkRecord? {
            let descriptor = nk_interfaces_open()
            guard descriptor >= 0 else { return nil }
            defer { nk_close(descriptor) }
            var index: Int32 = 0
            var flags: UInt32 = 0
            var hardware: UInt32 = 0
            guard nk_interface_facts(descriptor, name, &index, &flags, &hardware) == 0 else { return nil }
            return LinkRecord(
                index: index,
                name: name,
                flags: flags,
                hardware: UInt16(truncatingIfNeeded: hardware),
                kind: nil
            )
        }
    }

    /// Parsers for the tables in `/proc/net`.
    enum ProcNetTables {
        /// Returns the names in `dev`.
        static func interfaces(in text: String) -> [String] {
            text.split(separator: "\n").dropFirst(2).compactMap { line in
                guard let colon = line.lastIndex(of: ":") else { return nil }
                let name = line[..<colon].drop { $0 == " " }
                return name.isEmpty ? nil : String(name)
            }
        }

        /// Returns the routes in `route`, which are IPv4 in hexadecimal, in the machine's byte order.
        static func routes(in text: String, index: (Substring) -> Int32?) -> [RouteRecord] {
            text.split(separator: "\n").dropFirst().compactMap { line in
                let columns = line.split { $0 == "\t" || $0 == " " }
                guard columns.count >= 8, let interface = index(columns[0]),
                    let destination = UInt32(digits: columns[1], radix: 16),
                    let gateway = UInt32(digits: columns[2], radix: 16),
                    let flags = UInt32(digits: columns[3], radix: 16), let metric = UInt32(digits: columns[6]),
                    let mask = UInt32(digits: columns[7], radix: 16), leadsOffMachine(flags)
                else { return nil }
                return RouteRecord(
                    destination: bytes(of: destination),
                    prefix: UInt8(mask.nonzeroBitCount),
                    table: mainTable,
                    metric: metric,
                    interface: interface,
                    gateway: gateway == 0 ? [] : bytes(of: gateway)
                )
            }
        }

        /// Returns the routes in `ipv6_route`, which are in hexadecimal, in network byte order.
        static func routes6(in text: String, index: (Substring) -> Int32?) -> [RouteRecord] {
            text.split(separator: "\n").compactMap { line in
                let columns = line.split(separator: " ")
                guard columns.count >= 10, let destination = address(columns[0]),
                    let prefix = UInt8(digits: columns[1], radix: 16), prefix <= 128, let gateway = address(columns[4]),
                    let metric = UInt32(digits: columns[5], radix: 16),
                    let flags = UInt32(digits: columns[8], radix: 16),
                    let interface = index(columns[9]), leadsOffMachine(flags)
                else { return nil }
                return RouteRecord(
                    destination: destination,
                    prefix: prefix,
                    table: mainTable,
                    metric: metric,
                    interface: interface,
                    gateway: gateway.allSatisfy { $0 == 0 } ? [] : gateway
                )
            }
        }

        private static let mainTable: UInt32 = 254

        /// Returns whether a route is in use, does not reject traffic, and leads off this machine.
        private static func leadsOffMachine(_ flags: UInt32) -> Bool {
            flags & 0x1 != 0 && flags & 0x200 == 0 && flags & 0x8000_0000 == 0
        }

        private static func bytes(of value: UInt32) -> [UInt8] {
            withUnsafeBytes(of: value) { Array($0) }
        }

        private static func address(_ text: Substring) -> [UInt8]? {
            guard text.utf8.count == 32, let high = UInt64(digits: text.prefix(16), radix: 16),
                let low = UInt64(digits: text.dropFirst(16), radix: 16)
            else { return nil }
            return [high, low].flatMap { half in
                stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: half >> UInt64($0)) }
            }
        }
    }
#endif
