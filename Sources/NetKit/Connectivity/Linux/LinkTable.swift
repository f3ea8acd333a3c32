#if canImport(Glibc) || canImport(Musl)
    /// The links, addresses and routes of a machine, updated by netlink messages.
    ///
    /// An interface leads to other machines if it is up with a carrier and has a route, such as that of its own
    /// network. A bridge counts only with a default route, because one that joins containers is always up.
    struct LinkTable {
        /// The maximum number of routes kept.
        ///
        /// Beyond it, the machine is treated as a router, and every link counts as having a route.
        static let maxRoutes = 4096

        private struct Link {
            var record: LinkRecord
            var facts: InterfaceFacts
            var generation: Int
        }

        private var links: [Int32: Link] = [:]
        private var addresses: [AddressRecord: Int] = [:]
        private var routes: [RouteRecord: Int] = [:]
        private var generation = 0
        private var revision = 0
        private let facts: (LinkRecord) -> InterfaceFacts

        /// Whether there were too many routes to keep them all.
        private(set) var isSaturated = false

        /// Creates an empty table, with a function that looks up the properties of an interface.
        init(facts: @escaping (LinkRecord) -> InterfaceFacts = { InterfaceFacts(of: $0) }) {
            self.facts = facts
        }

        // MARK: - Changes

        /// Begins a refresh, in which everything is added again until `endRefresh`.
        mutating func beginRefresh() { generation += 1 }

        /// Removes everything that was not added again since `beginRefresh`.
        ///
        /// Routes are kept if the refresh did not include them.
        mutating func endRefresh(withRoutes: Bool = true) {
            let goneLinks = links.filter { $0.value.generation < generation }.map(\.key)
            for index in goneLinks { removeLink(index) }
            let goneAddresses = addresses.filter { $0.value < generation }.map(\.key)
            for address in goneAddresses { remove(address) }
            guard withRoutes else { return }
            let goneRoutes = routes.filter { $0.value < generation }.map(\.key)
            for route in goneRoutes { remove(route) }
        }

        mutating func apply(_ message: NetlinkMessage) {
            switch message {
            case .link(let record): add(record)
            case .linkIsGone(let index): removeLink(index)
            case .address(let record):
                var former = record
                former.isTentative.toggle()
                remove(former)
                if addresses.updateValue(generation, forKey: record) == nil { noteChange(of: record.interface) }
            case .addressIsGone(var record):
                remove(record)
                record.isTentative.toggle()
                remove(record)
            case .route(let records, let isReplacing):
                if isReplacing, let first = records.first {
                    let old = routes.keys.filter { $0.hasSameDestination(as: first) && !records.contains($0) }
                    for route in old { remove(route) }
                }
                for route in records { add(route) }
            case .routeIsGone(let records): for route in records { remove(route) }
            case .done, .refused: break
            }
        }

        private mutating func add(_ record: LinkRecord) {
            let old = links[record.index]
            let isKnown = old?.record.name == record.name && old?.record.hardware == record.hardware
            let facts = isKnown ? old?.facts ?? InterfaceFacts() : facts(record)
            links[record.index] = Link(record: record, facts: facts, generation: generation)
            // The kernel drops the routes of an interface that goes down, but does not report all of them.
            if !record.isUp { removeRoutes(of: record.index) }
        }

        private mutating func removeLink(_ index: Int32) {
            guard links.removeValue(forKey: index) != nil else { return }
            let gone = addresses.keys.filter { $0.interface == index }
            for address in gone { remove(address) }
            removeRoutes(of: index)
        }

        private mutating func removeRoutes(of index: Int32) {
            let gone = routes.keys.filter { $0.interface == index }
            for route in gone { remove(route) }
        }

        private mutating func add(_ route: RouteRecord) {
            if routes[route] == nil {
                guard routes.count < (route.isDefault ? 2 : 1) * Self.maxRoutes else {
                    isSaturated = true
                    return
                }
                noteChange(of: route.interface)
            }
            routes[route] = generation
        }

        private mutating func remove(_ route: RouteRecord) {
            if routes.removeValue(forKey: route) != nil { noteChange(of: route.interface) }
        }

        private mutating func remove(_ address: AddressRecord) {
            if addresses.removeValue(forKey: address) != nil { noteChange(of: address.interface) }
        }

        private mutating func noteChange(of interface: Int32) {
            if links[interface]?.record.isLoopback != true { revision &+= 1 }
        }

        // MARK: - Summary

        var summary: LinkSummary {
            var best: (rank: (Int, UInt32, Int32), link: Link)?
            let routed = interfacesWithRoutes()
            for (index, link) in links where link.record.isRunning && !link.record.isLoopback {
                guard let (group, metric) = routed[index] ?? (isSaturated ? (1, 0) : nil),
                    group == 0 || !link.record.isBridge(link.facts)
                else { continue }
                let rank = (group, metric, index)
                if best.map({ rank < $0.rank }) ?? true { best = (rank, link) }
            }
            let hasLoopback = links.values.contains { $0.record.isLoopback && $0.record.isUp }
            return LinkSummary(
                isUsable: best != nil,
                hasLoopback: hasLoopback,
                connectionType: best?.link.record.connectionType(best?.link.facts ?? InterfaceFacts())
                    ?? (hasLoopback ? .loopback : .none),
                interfaceName: best?.link.record.shownName,
                revision: revision
            )
        }

        /// Returns the interfaces with a route to other machines: those with a default route in group 0 with the best
        /// metric, the others in group 1.
        private func interfacesWithRoutes() -> [Int32: (group: Int, metric: UInt32)] {
            var interfaces: [Int32: (group: Int, metric: UInt32)] = [:]
            for route in routes.keys where route.leadsOffLink {
                let rank: (group: Int, metric: UInt32) = route.isDefault ? (0, route.metric) : (1, 0)
                if interfaces[route.interface].map({ rank < $0 }) ?? true { interfaces[route.interface] = rank }
            }
            return interfaces
        }
    }

    /// A summary of a machine's links.
    struct LinkSummary: Sendable, Equatable {
        /// Whether a link leads to other machines.
        var isUsable: Bool
        /// Whether the loopback interface is up.
        var hasLoopback: Bool
        /// The kind of the best interface.
        var connectionType: ConnectionType
        var interfaceName: String?
        /// A number that changes when addresses or routes change.
        var revision: Int

        /// Returns whether the best interface is the same, regardless of the revision.
        func isSameRoute(as other: LinkSummary) -> Bool {
            var other = other
            other.revision = revision
            return self == other
        }

        /// The assumption if the links cannot be read.
        static let unknown = LinkSummary(
            isUsable: true,
            hasLoopback: true,
            connectionType: .other,
            interfaceName: nil,
            revision: 0
        )
    }
#endif
