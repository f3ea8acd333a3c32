#if canImport(Glibc) || canImport(Musl)
    import Foundation
    @testable import NetKit
    import NetKitTesting
    import Testing

    struct NetlinkMessageTests {
        private static let link = NetlinkWriter.link(index: 2, name: "eth0", flags: 0x1043, kind: "veth")
        private static let address = NetlinkWriter.address(interface: 2, [10, 0, 0, 2])
        private static let defaultRoute = NetlinkWriter.route(interface: 2, gateway: [10, 0, 0, 1], metric: 100)

        private static func read(_ bytes: [UInt8]) -> [NetlinkMessage] {
            bytes.withUnsafeBytes { NetlinkMessage.read($0).items.map(\.message) }
        }

        @Test func linksAddressesAndRoutesAreRead() {
            let record = LinkRecord(index: 2, name: "eth0", flags: 0x1043, hardware: 1, kind: "veth")
            #expect(Self.read(Self.link) == [.link(record)])
            #expect(record.isRunning && !record.isLoopback)
            let address = AddressRecord(interface: 2, bytes: [10, 0, 0, 2])
            #expect(Self.read(Self.address) == [.address(address)])
            let route = RouteRecord(
                destination: [0, 0, 0, 0],
                prefix: 0,
                table: 254,
                metric: 100,
                interface: 2,
                gateway: [10, 0, 0, 1]
            )
            #expect(Self.read(Self.defaultRoute) == [.route([route], replacing: false)])
            #expect(route.isDefault && route.leadsOffLink)
            #expect(Self.read(Self.link + Self.address + Self.defaultRoute).count == 3)
        }

        @Test func removedLinksAddressesAndRoutesAreRead() {
            #expect(
                Self.read(NetlinkWriter.link(index: 7, name: "x", flags: 0, isGone: true)) == [.linkIsGone(index: 7)]
            )
            let address = AddressRecord(interface: 2, bytes: [10, 0, 0, 2])
            #expect(
                Self.read(NetlinkWriter.address(interface: 2, [10, 0, 0, 2], isGone: true)) == [.addressIsGone(address)]
            )
            guard case .routeIsGone(let routes)? = Self.read(NetlinkWriter.route(interface: 3, isGone: true)).first
            else {
                Issue.record("no route")
                return
            }
            #expect(routes.map(\.interface) == [3])
        }

        @Test func aRouteOfSeveralHopsIsOneForEachInterface() {
            let bytes = NetlinkWriter.route(hops: [(2, [10, 0, 0, 1]), (3, [10, 1, 0, 1])])
            guard case .route(let routes, _)? = Self.read(bytes).first else {
                Issue.record("no route")
                return
            }
            #expect(routes.map(\.interface) == [2, 3])
            #expect(routes.map(\.gateway) == [[10, 0, 0, 1], [10, 1, 0, 1]])
        }

        @Test(arguments: [
            NetlinkWriter.route(interface: 2, table: 255),  // the machine's own addresses
            NetlinkWriter.route(interface: 2, type: 7),  // unreachable
            NetlinkWriter.route(interface: 0),
            NetlinkWriter.link(index: 2, name: "", flags: 1),
            NetlinkWriter.message(99, [UInt8](repeating: 0, count: 40)),
        ])
        func routesThatTrafficDoesNotUseAreSkipped(bytes: [UInt8]) {
            #expect(Self.read(bytes) == [])
        }

        @Test func theEndOfADumpAndARefusalAreRead() {
            let bytes =
                NetlinkWriter.message(3, [0, 0, 0, 0], flags: 2, sequence: 5)
                + NetlinkWriter.message(2, NetlinkWriter.bytes(Int32(-1)), sequence: 6)
            let (items, isInterrupted) = bytes.withUnsafeBytes { NetlinkMessage.read($0) }
            #expect(items.map(\.message) == [.done, .refused(code: -1)])
            #expect(items.map(\.sequence) == [5, 6])
            #expect(items.map(\.isPartOfDump) == [true, false])
            #expect(!isInterrupted)
            let failed = NetlinkWriter.message(3, NetlinkWriter.bytes(Int32(-12)), flags: 2)
            #expect(Self.read(failed) == [.refused(code: -12)])
            let cut = NetlinkWriter.message(3, [0, 0, 0, 0], flags: 0x12)
            #expect(cut.withUnsafeBytes { NetlinkMessage.read($0).isInterrupted })
        }

        @Test func everyPrefixOfAMessageIsHarmless() {
            let bytes = Self.link + Self.address + Self.defaultRoute
            for count in 0...bytes.count { _ = Self.read(Array(bytes.prefix(count))) }
            #expect(Self.read(Array(bytes.dropLast())).count == 2)
        }

        @Test func randomBytesAreHarmless() {
            var random = RandomSource.seeded(11)
            let whole =
                Self.link + Self.address + Self.defaultRoute
                + NetlinkWriter.route(hops: [(2, [10, 0, 0, 1]), (3, [10, 1, 0, 1])])
            // Interface files are not read here: names are random.
            var table = LinkTable(facts: { _ in InterfaceFacts() })
            for round in 0..<20_000 {
                var bytes = whole
                if round % 4 == 0 {
                    bytes = (0..<Int.random(in: 0..<200, using: &random)).map { _ in
                        UInt8.random(in: 0...255, using: &random)
                    }
                } else {
                    for _ in 0..<Int.random(in: 1...6, using: &random) {
                        let place = Int.random(in: 0..<bytes.count, using: &random)
                        bytes[place] = UInt8.random(in: 0...255, using: &random)
                    }
                }
                for message in Self.read(bytes) { table.apply(message) }
                if round % 100 == 0 {
                    _ = table.summary
                    table.beginRefresh()
                    if round % 200 == 0 { table.endRefresh() }
                }
            }
            table.beginRefresh()
            table.endRefresh()
            #expect(!table.summary.isUsable)
        }
    }
#endif
