#if os(Linux)
    import Foundation
    import NetKit
    import NetKitTestSupport
    import Testing

    /// Tests of `netkit monitor` in a network of its own, whose link goes down and comes up.
    ///
    /// `NETKIT_LONG=1` asks for the full number of flaps, and prints the figures.
    @Suite(.needsTheMachine, .needsNetworkNamespace, .needsCommand, .serialized)
    struct NetworkNamespaceTests {
        private static let isLong = ProcessInfo.processInfo.environment["NETKIT_LONG"] == "1"

        @Test func everyDownAndUpIsSeenWithinATenthOfASecond() async throws {
            let namespace = try NetworkNamespace()
            var lines = namespace.lines.makeAsyncIterator()
            #expect(try #require(await lines.next()).isConnected)
            var times: [Duration] = []
            for _ in 0..<(Self.isLong ? 1000 : 20) {
                for isUp in [false, true] {
                    let start = ContinuousClock.now
                    try namespace.setLink(isUp)
                    let line = try #require(await lines.next())
                    // Every line is a change that was made, and there is none too many.
                    #expect(line.isConnected == isUp)
                    times.append(line.time - start)
                }
            }
            times.sort()
            // Beside other tests on a busy machine, single changes come late. The long run has the machine, and counts
            // all.
            #expect(times[Self.isLong ? times.count - 1 : times.count / 2] < .milliseconds(100))
            if Self.isLong {
                print(
                    "link changes seen: \(times.count), median \(times[times.count / 2]), longest \(times.last ?? .zero)"
                )
            }
        }

        @Test func aBurstOfFlapsEndsInTheRightStateWithoutAFalseChange() async throws {
            let namespace = try NetworkNamespace()
            var lines = namespace.lines.makeAsyncIterator()
            var last = try #require(await lines.next())
            #expect(last.isConnected)
            let flaps = Self.isLong ? 1000 : 100
            for _ in 0..<flaps {
                try namespace.setLink(false)
                try namespace.setLink(true)
            }
            // An interface that comes after all of them marks the end: the status then names its address.
            try namespace.ip(
                "link set v0 down",
                "link add end0 type veth peer name end1",
                "address add 10.8.0.1/24 dev end0",
                "link set end1 up",
                "link set end0 up"
            )
            var changes = 0
            while true {
                let line = try #require(await lines.next())
                // The last two steps may be seen as one: from the one interface to the other.
                #expect(line.isConnected != last.isConnected || line.text.contains("end0"))
                last = line
                changes += 1
                if line.text.contains("end0") { break }
            }
            #expect(last.isConnected && changes <= 2 * flaps + 2)
            // Everything is read once more a moment later, which must change nothing, so the next line is this.
            try await Task.sleep(for: .milliseconds(1500))
            try namespace.ip("link set end0 down")
            let final = try #require(await lines.next())
            #expect(!final.isConnected)
            if Self.isLong { print("changes seen of \(flaps) flaps: \(changes)") }
        }

        /// Takes a second for each change, because that is how often the monitor looks.
        @Test(.needs(.python3)) func withoutPermissionToAskTheKernelItLooksForItself() async throws {
            let namespace = try NetworkNamespace(mayAskKernel: false)
            var lines = namespace.lines.makeAsyncIterator()
            let first = try #require(await lines.next())
            #expect(first.isConnected && first.text.contains("\"interface\":\"v0\""))
            for isUp in [false, true] {
                try namespace.setLink(isUp)
                #expect(try #require(await lines.next()).isConnected == isUp)
            }
        }

        @Test func addressesAndRoutesCountAndAddressesThatAreThereAlready() async throws {
            let namespace = try NetworkNamespace()
            var lines = namespace.lines.makeAsyncIterator()
            let steps: [(String, Bool)] = [
                ("address del 10.9.0.1/24 dev v0", false), ("address add 10.9.0.1/24 dev v0", true),
                ("link set v1 down", false), ("link set v1 up", true), ("link del v0", false),
            ]
            #expect(try #require(await lines.next()).isConnected)
            for (command, expected) in steps {
                try namespace.ip(command)
                let line = try #require(await lines.next())
                #expect(line.isConnected == expected, "\(command)")
            }
        }

        @Test func aTargetIsAskedAsSoonAsTheLinkIsBack() async throws {
            // Nothing listens there: the connection is refused, so the server is not reachable.
            let namespace = try NetworkNamespace(monitoring: ["--target", "10.9.0.1:9", "--interval", "60"])
            var lines = namespace.lines.makeAsyncIterator()
            while try #require(await lines.next()).text.contains("\"verified\":false") {}
            try namespace.setLink(false)
            #expect(try #require(await lines.next()).text.contains("disconnected"))
            let start = ContinuousClock.now
            try namespace.setLink(true)
            let line = try #require(await lines.next())
            #expect(line.text.contains("unreachable"))
            // Far less than the interval.
            #expect(line.time - start < .seconds(30))
        }
    }
#endif
