#if canImport(Glibc) || canImport(Musl)
    import CNetKitSystem
    import Foundation

    /// Reads the links from the system's files, for where the kernel may not be asked for changes.
    struct LinkPoll {
        /// How often.
        static let interval = Duration.seconds(1)

        private let root: String
        private let link: (String) -> LinkRecord?

        /// Makes a poll of the tables in a folder, with a way to ask after an interface.
        init(root: String = "/proc/net", link: @escaping (String) -> LinkRecord? = LinkPoll.link) {
            self.root = root
            self.link = link
        }

        /// Brings a table up to date; false where there is nothing to read.
        func read(into table: inout LinkTable) -> Bool {
            guard let interfaces = text(of: "dev") else { return false }
            table.beginRefresh()
            var indices: [Substring: Int32] = [:]
            for name in ProcNetTables.interfaces(in: interfaces) {
                guard let record = link(name) else { continue }
                indices[Substring(name)] = record.index
                table.apply(.link(record))
            }
            let routes =
                ProcNetTables.routes(in: text(of: "route") ?? "") { indices[$0] }
                + ProcNetTables.routes6(in: text(of: "ipv6_route") ?? "") { indices[$0] }
            table.apply(.route(routes, replacing: false))
            table.endRefresh()
            return true
        }

        private func text(of file: String) -> String? {
            try? String(contentsOfFile: "\(root)/\(file)", encoding: .utf8)
        }

        /// What the system says of an interface.
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
#endif
