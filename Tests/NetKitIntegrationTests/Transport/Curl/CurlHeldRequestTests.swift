#if os(Linux)
    import NetKitTestSupport
    import Testing

    @testable import NetKit

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// Tests of requests that one wake-up writes on one HTTP/2 connection: the kernel sends the later ones together.
    @Suite(.needsTheMachine)
    struct CurlHeldRequestTests {
        /// The wake-ups, each as the number of its requests, and whether the connection holds them back at the end.
        static let cases: [(wakeUps: [Int], isMultiplexed: Bool, isHeld: Bool)] = [
            ([1], true, false), ([6], true, false), ([7], true, true), ([64], true, true),
            // Over HTTP/1, a connection has one request at a time.
            ([64], false, false),
            // Few requests in each wake-up.
            ([6, 6, 6], true, false), ([64, 1], true, false), ([1, 64], true, true),
        ]

        @Test(arguments: cases)
        func holdsBackAllButTheFirstOfManyRequests(wakeUps: [Int], isMultiplexed: Bool, isHeld: Bool) throws {
            let socket = try TCPSocket()
            var sockets = sockets(with: socket, isMultiplexed: isMultiplexed)
            for (index, count) in wakeUps.enumerated() {
                if index > 0 {
                    sockets.sendHeld()
                    #expect(try !socket.isHeld, "held after wake-up \(index)")
                }
                for _ in 0..<count { sockets.noteRequest(on: socket.descriptor) }
            }
            #expect(try socket.isHeld == isHeld)
            sockets.sendHeld()
            #expect(try !socket.isHeld)
        }

        @Test func leavesASocketAloneThatWasClosedMeanwhile() throws {
            let socket = try TCPSocket()
            var sockets = sockets(with: socket, isMultiplexed: true)
            for _ in 0..<7 { sockets.noteRequest(on: socket.descriptor) }
            // Another connection has the same descriptor now, and its owner keeps bytes back.
            sockets.noteClosed(socket.descriptor)
            sockets.sendHeld()
            #expect(try socket.isHeld)
        }

        private func sockets(with socket: TCPSocket, isMultiplexed: Bool) -> CurlSockets {
            var sockets = CurlSockets(set: -1, tls: nil)
            sockets.noteOpened(socket.descriptor, by: 1)
            if isMultiplexed { sockets.noteMultiplexed(socket.descriptor) }
            return sockets
        }
    }

    /// A TCP socket that is connected to nothing.
    private final class TCPSocket {
        let descriptor: Int32

        init() throws {
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            try #require(descriptor >= 0)
        }

        deinit { close(descriptor) }

        /// Whether the kernel keeps back partial packets.
        var isHeld: Bool {
            get throws {
                var (value, size): (Int32, socklen_t) = (0, socklen_t(MemoryLayout<Int32>.size))
                try #require(getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_CORK, &value, &size) == 0)
                return value != 0
            }
        }
    }
#endif
