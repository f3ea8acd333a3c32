#if canImport(Glibc) || canImport(Musl)
    import Foundation
    @testable import NetKit
    import NetKitTesting
    import Testing

    struct LinkTableTests {
        private static let upAndRunning: UInt32 = 0x1043
        private static let upWithoutCarrier: UInt32 = 0x1003
        private static let isDown: UInt32 = 0x1002

        /// Returns a table after some messages.
        private static func table(_ messages: [UInt8]...) -> LinkTable {
            var table = LinkTable(facts: { _ in InterfaceFacts() })
            for bytes in messages { apply(bytes, to: &table) }
            return table
        }

        private static func apply(_ bytes: [UInt8], to table: inout LinkTable) {
            let items = bytes.withUnsafeBytes { NetlinkMessage.read($0).items }
            #expect(!items.isEmpty)
            for item in items { table.apply(item.message) }
        }

        private static let lo = NetlinkWriter.link(index: 1, name: "lo", flags: 0x49, hardware: 772)
        private static let eth0 = NetlinkWriter.link(index: 2, name: "eth0", flags: upAndRunning)
        private static let wlan0 = NetlinkWriter.link(index: 3, name: "wlan0", flags: upAndRunning)
        private static let bridge = NetlinkWriter.link(index: 4, name: "docker0", flags: upAndRunning, kind: "bridge")
        private static let home = NetlinkWriter.route(to: [10, 0, 0, 0], prefix: 24, interface: 2)
        private static let way = NetlinkWriter.route(interface: 2, gateway: [10, 0, 0, 1], metric: 100)

        @Test func anEmptyTableIsNotUsable() {
            let summary = Self.table().summary
            #expect(!summary.isUsable && !summary.hasLoopback && summary.connectionType == .none)
        }

        @Test func loopbackIsNotANetwork() {
            let summary = Self.table(Self.lo, NetlinkWriter.route(to: [127, 0, 0, 0], prefix: 8, interface: 1)).summary
            #expect(!summary.isUsable && summary.hasLoopback && summary.connectionType == .loopback)
        }

        @Test(arguments: [
            ("a route of the wire", [eth0, home], true),
            ("a default route", [eth0, way], true),
            ("no route", [eth0], false),
            ("no carrier", [NetlinkWriter.link(index: 2, name: "eth0", flags: upWithoutCarrier), home, way], false),
            ("a route through another interface", [wlan0, home], false),
            (
                "a neighbor's automatic address",
                [eth0, NetlinkWriter.route(to: [169, 254, 0, 0], prefix: 16, interface: 2)], false
            ),
            ("a group", [eth0, NetlinkWriter.route(to: [224, 0, 0, 0], prefix: 4, interface: 2)], false),
            (
                "fe80::/64",
                [
                    eth0,
                    NetlinkWriter.route(
                        to: [0xFE, 0x80] + [UInt8](repeating: 0, count: 14),
                        prefix: 64,
                        interface: 2,
                        family: 10
                    ),
                ], false
            ),
            (
                "fd00::/64",
                [
                    eth0,
                    NetlinkWriter.route(
                        to: [0xFD] + [UInt8](repeating: 0, count: 15),
                        prefix: 64,
                        interface: 2,
                        family: 10
                    ),
                ], true
            ),
            ("a bridge", [bridge, NetlinkWriter.route(to: [172, 17, 0, 0], prefix: 16, interface: 4)], false),
            ("a bridge with a default route", [bridge, NetlinkWriter.route(interface: 4)], true),
        ])
        func aLinkIsUsableOrNot(name: String, messages: [[UInt8]], expected: Bool) {
            var table = Self.table(Self.lo)
            for bytes in messages { Self.apply(bytes, to: &table) }
            #expect(table.summary.isUsable == expected, "\(name)")
        }

        @Test func theBestDefaultRouteNamesTheInterface() {
            var table = Self.table(Self.eth0, Self.wlan0, Self.home, Self.way)
            #expect(table.summary.interfaceName == "eth0")
            Self.apply(NetlinkWriter.route(interface: 3, metric: 50), to: &table)
            #expect(table.summary.interfaceName == "wlan0")
            Self.apply(NetlinkWriter.route(interface: 3, metric: 50, isGone: true), to: &table)
            #expect(table.summary.interfaceName == "eth0")
        }

        @Test func aNameIsShownWithoutControlCharacters() {
            let link = NetlinkWriter.link(index: 2, name: "eth\u{1B}[2J0", flags: Self.upAndRunning)
            #expect(Self.table(link, Self.way).summary.interfaceName == "eth[2J0")
        }

        @Test func aLinkThatGoesDownLosesItsRoutes() {
            var table = Self.table(Self.eth0, Self.home, Self.way)
            Self.apply(NetlinkWriter.link(index: 2, name: "eth0", flags: Self.isDown), to: &table)
            #expect(!table.summary.isUsable)
            // The kernel dropped the routes without a message, so being up is not enough.
            Self.apply(Self.eth0, to: &table)
            #expect(!table.summary.isUsable)
            Self.apply(Self.home, to: &table)
            #expect(table.summary.isUsable)
        }

        @Test func aLinkKeepsItsRoutesWithoutCarrier() {
            var table = Self.table(Self.eth0, Self.home, Self.way)
            Self.apply(NetlinkWriter.link(index: 2, name: "eth0", flags: Self.upWithoutCarrier), to: &table)
            #expect(!table.summary.isUsable)
            Self.apply(Self.eth0, to: &table)
            #expect(table.summary.isUsable)
        }

        @Test func aRemovedLinkTakesItsRoutesAlong() {
            var table = Self.table(Self.eth0, Self.home, NetlinkWriter.address(interface: 2, [10, 0, 0, 2]))
            Self.apply(NetlinkWriter.link(index: 2, name: "eth0", flags: 0, isGone: true), to: &table)
            #expect(!table.summary.isUsable)
            // Another interface with the same number starts without routes.
            Self.apply(NetlinkWriter.link(index: 2, name: "eth9", flags: Self.upAndRunning), to: &table)
            #expect(!table.summary.isUsable)
        }

        @Test func aRouteReplacesTheOneToTheSameDestination() {
            var table = Self.table(Self.eth0, Self.wlan0, Self.way)
            let other = NetlinkWriter.route(interface: 3, gateway: [10, 9, 0, 1], metric: 100, replacing: true)
            Self.apply(other, to: &table)
            #expect(table.summary.interfaceName == "wlan0")
            Self.apply(
                NetlinkWriter.route(interface: 3, gateway: [10, 9, 0, 1], metric: 100, isGone: true),
                to: &table
            )
            #expect(!table.summary.isUsable)
        }

        @Test func onlyRelevantChangesIncreaseTheRevision() {
            var table = Self.table(Self.lo, Self.eth0, Self.home, NetlinkWriter.address(interface: 2, [10, 0, 0, 2]))
            let before = table.summary
            // Repeated messages and changes of the loopback interface.
            Self.apply(Self.eth0, to: &table)
            Self.apply(Self.home, to: &table)
            Self.apply(NetlinkWriter.address(interface: 2, [10, 0, 0, 2]), to: &table)
            Self.apply(NetlinkWriter.address(interface: 1, [127, 0, 0, 9]), to: &table)
            #expect(table.summary == before)
            for change in [
                NetlinkWriter.address(interface: 2, [10, 0, 0, 3]),
                NetlinkWriter.address(interface: 2, [10, 0, 0, 3], flags: 0x40),
                NetlinkWriter.address(interface: 2, [10, 0, 0, 3], isGone: true),
                Self.way,
            ] {
                let before = table.summary.revision
                Self.apply(change, to: &table)
                #expect(table.summary.revision != before)
            }
        }

        @Test func aRefreshRemovesEntriesThatWereNotReportedAgain() {
            var table = Self.table(Self.lo, Self.eth0, Self.wlan0, Self.home, Self.way)
            table.beginRefresh()
            #expect(table.summary.isUsable)
            for bytes in [Self.lo, Self.eth0, Self.home] { Self.apply(bytes, to: &table) }
            let before = table.summary.revision
            table.endRefresh()
            #expect(table.summary.isUsable && table.summary.revision != before)
            table.beginRefresh()
            Self.apply(Self.lo, to: &table)
            table.endRefresh()
            #expect(!table.summary.isUsable && table.summary.hasLoopback)
        }

        @Test func theNumberOfRoutesIsBounded() {
            var table = Self.table(Self.eth0)
            for number in 0..<(LinkTable.maxRoutes + 10) {
                let destination = NetlinkWriter.bytes(UInt32(number).bigEndian)
                let route = RouteRecord(
                    destination: destination,
                    prefix: 32,
                    table: 254,
                    metric: 0,
                    interface: 9,
                    gateway: []
                )
                table.apply(.route([route], replacing: false))
            }
            #expect(table.isSaturated)
            // It is no longer known which link has no route.
            #expect(table.summary.isUsable)
            Self.apply(Self.way, to: &table)
            #expect(table.summary.interfaceName == "eth0")
        }

        @Test(arguments: [
            (LinkRecord(index: 1, name: "lo", flags: 0x49, hardware: 772), InterfaceFacts(), ConnectionType.loopback),
            (LinkRecord(index: 2, name: "eth0", flags: 1, hardware: 1, kind: "veth"), InterfaceFacts(), .ethernet),
            (LinkRecord(index: 2, name: "enp3s0", flags: 1, hardware: 1), InterfaceFacts(), .ethernet),
            (LinkRecord(index: 2, name: "x", flags: 1, hardware: 1), InterfaceFacts(isWireless: true), .wifi),
            (LinkRecord(index: 2, name: "x", flags: 1, hardware: 1), InterfaceFacts(deviceType: "wlan"), .wifi),
            (LinkRecord(index: 2, name: "wlp2s0", flags: 1, hardware: 1), InterfaceFacts(), .wifi),
            (LinkRecord(index: 2, name: "mon0", flags: 1, hardware: 803), InterfaceFacts(), .wifi),
            (LinkRecord(index: 2, name: "x", flags: 1, hardware: 1), InterfaceFacts(deviceType: "wwan"), .cellular),
            (LinkRecord(index: 2, name: "wwan0", flags: 1, hardware: 519), InterfaceFacts(), .cellular),
            (LinkRecord(index: 2, name: "tun0", flags: 1, hardware: 65534), InterfaceFacts(), .other),
            (LinkRecord(index: 2, name: "tap0", flags: 1, hardware: 1), InterfaceFacts(isTunnel: true), .other),
            (LinkRecord(index: 2, name: "wg0", flags: 1, hardware: 65534, kind: "wireguard"), InterfaceFacts(), .other),
            (LinkRecord(index: 2, name: "ppp0", flags: 1, hardware: 512), InterfaceFacts(), .other),
        ])
        func theKindOfAnInterfaceIsDetected(link: LinkRecord, facts: InterfaceFacts, expected: ConnectionType) {
            #expect(link.connectionType(facts) == expected)
        }

        @Test func factsComeOnlyFromTheFolderOfTheSameInterface() throws {
            let folder = try TemporaryFolder()
            let root = folder.url.path()
            let files = FileManager.default
            try files.createDirectory(atPath: "\(root)/eth7/wireless", withIntermediateDirectories: true)
            try Data("7\n".utf8).write(to: folder.url.appending(path: "eth7/ifindex"))
            try Data("INTERFACE=eth7\nDEVTYPE=wlan\n".utf8).write(to: folder.url.appending(path: "eth7/uevent"))
            var link = LinkRecord(index: 7, name: "eth7", flags: 1, hardware: 1)
            #expect(InterfaceFacts(of: link, in: root) == InterfaceFacts(isWireless: true, deviceType: "wlan"))
            link.index = 8
            #expect(InterfaceFacts(of: link, in: root) == InterfaceFacts())
            link.name = "../\(folder.url.lastPathComponent)/eth7"
            #expect(InterfaceFacts(of: link, in: root) == InterfaceFacts())
        }

        @Test func theFilesInProcGiveTheSameTable() throws {
            let folder = try TemporaryFolder()
            let dev = """
                Inter-|   Receive                            |  Transmit
                 face |bytes    packets errs drop fifo frame
                    lo: 1 2 3
                  eth0: 1 2 3
                """
            let route = """
                Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
                eth0\t00000000\t010200C0\t0003\t0\t0\t100\t00000000\t0\t0\t0
                eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0
                """
            try Data(dev.utf8).write(to: folder.url.appending(path: "dev"))
            try Data(route.utf8).write(to: folder.url.appending(path: "route"))
            let links = [
                "lo": LinkRecord(index: 1, name: "lo", flags: 0x49, hardware: 772),
                "eth0": LinkRecord(index: 2, name: "eth0", flags: Self.upAndRunning, hardware: 1),
            ]
            let poll = LinkPoll(root: folder.url.path()) { links[$0] }
            var table = LinkTable(facts: { _ in InterfaceFacts() })
            #expect(poll.read(into: &table))
            #expect(table.summary.isUsable && table.summary.interfaceName == "eth0" && table.summary.hasLoopback)
            let before = table.summary
            #expect(poll.read(into: &table))
            #expect(table.summary == before)
            try Data(route.split(separator: "\n")[0].utf8).write(to: folder.url.appending(path: "route"))
            #expect(poll.read(into: &table))
            #expect(!table.summary.isUsable)
            // No route is a fact, but no table of routes is not.
            try FileManager.default.removeItem(at: folder.url.appending(path: "route"))
            #expect(!poll.read(into: &table))
            try Data(Self.route6.utf8).write(to: folder.url.appending(path: "ipv6_route"))
            #expect(poll.read(into: &table))
            #expect(table.summary.isUsable)
            let nowhere = LinkPoll(root: folder.url.appending(path: "none").path()) { links[$0] }
            #expect(!nowhere.read(into: &table))
            let withoutLookup = LinkPoll(root: folder.url.path()) { _ in nil }
            #expect(!withoutLookup.read(into: &table))
            #expect(table.summary.isUsable)
        }

        private static let route6 =
            "00000000000000000000000000000000 00 00000000000000000000000000000000 00 fd000000000000000000000000000001 00000400 00000001 00000000 00000003     eth0"

        @Test func theTablesOfThisMachineCanBeRead() {
            #expect(ProcNetTables.interfaces(in: "a\nb\n  eth0:1: 5\n lo: 1\nnothing\n") == ["eth0:1", "lo"])
            let six = """
                fd000000000000000000000000000000 40 00000000000000000000000000000000 00 00000000000000000000000000000000 00000100 00000001 00000000 00000001     eth0
                \(Self.route6)
                00000000000000000000000000000000 00 00000000000000000000000000000000 00 00000000000000000000000000000000 ffffffff 00000001 00000000 00200200       lo
                broken
                """
            let routes = ProcNetTables.routes6(in: six) { $0 == "eth0" ? 2 : 1 }
            #expect(routes.map(\.prefix) == [64, 0])
            #expect(routes.map(\.metric) == [0x100, 0x400])
            #expect(routes.last?.gateway.last == 1)
        }
    }
#endif
