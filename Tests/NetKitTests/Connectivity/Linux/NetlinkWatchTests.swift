#if canImport(Glibc) || canImport(Musl)
    @testable import NetKit
    import Testing

    /// Tests of the refresh of a table, with messages as the kernel sends them.
    struct NetlinkWatchTests {
        private static let now = NetKitClock.Instant(nanoseconds: 0)
        private static let permission = NetlinkWriter.bytes(Int32(-1))

        /// Returns whether the tables could be read, up to the first answer with which they could not.
        private func refresh(_ answers: [(UInt32) -> [UInt8]]) -> (isReadable: Bool, asked: [Int32], LinkSummary) {
            let asked = Locked<[Int32]>([])
            let watch = NetlinkWatch(descriptor: -1) { what, _ in
                asked.withLock { $0.append(what) }
                return true
            }
            var table = LinkTable(facts: { _ in InterfaceFacts() })
            var isReadable = watch.beginRefresh(&table, now: Self.now)
            for (index, answer) in answers.enumerated() where isReadable {
                isReadable = watch.take(answer(UInt32(index + 1)), &table, now: Self.now)
            }
            #expect(watch.isComplete == (isReadable && answers.count == 3))
            return (isReadable, asked.withLock { $0 }, table.summary)
        }

        private func links(_ sequence: UInt32) -> [UInt8] {
            NetlinkWriter.link(index: 2, name: "eth0", flags: 0x1043) + done(sequence)
        }

        private func routes(_ sequence: UInt32) -> [UInt8] {
            NetlinkWriter.route(interface: 2, gateway: [10, 0, 0, 1]) + done(sequence)
        }

        private func done(_ sequence: UInt32) -> [UInt8] {
            NetlinkWriter.message(3, [0, 0, 0, 0], flags: 2, sequence: sequence)
        }

        private func refusal(_ sequence: UInt32) -> [UInt8] {
            NetlinkWriter.message(2, Self.permission, sequence: sequence)
        }

        private func failure(_ sequence: UInt32) -> [UInt8] {
            NetlinkWriter.message(3, Self.permission, flags: 2, sequence: sequence)
        }

        @Test func linksAddressesAndRoutesAreAskedForInTurn() {
            let (isReadable, asked, summary) = refresh([links, done, routes])
            #expect(isReadable && summary.isUsable)
            #expect(asked == [18, 22, 26])
        }

        @Test func addressesMayBeMissing() {
            for refused in [refusal, failure] {
                let (isReadable, _, summary) = refresh([links, refused, routes])
                #expect(isReadable && summary.isUsable)
            }
        }

        @Test func withoutLinksOrRoutesTheStateIsUnknown() {
            for refused in [refusal, failure] {
                #expect(!refresh([refused]).isReadable)
                #expect(!refresh([links, done, refused]).isReadable)
            }
        }
    }
#endif
