#if os(Linux)
    import Foundation
    import Testing

    @testable import NetKit

    struct CurlSocketsTests {
        /// While the server takes nothing more of any body, libcurl does not wait for room in the socket.
        @Test(arguments: [true, false]) func requestsWaitInFrontOfAFullSocket(isMultiplexed: Bool) throws {
            var ends: [Int32] = [-1, -1]
            try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
            let socket = ends[0]
            defer { for end in ends { close(end) } }
            _ = fcntl(socket, F_SETFL, O_NONBLOCK)
            var sockets = CurlSockets(set: -1, tls: nil)
            sockets.noteOpened(socket, by: 1)
            if isMultiplexed { sockets.noteMultiplexed(socket) }
            #expect(!sockets.isWaitingToWrite(socket))
            let bytes = [UInt8](repeating: 0, count: 65_536)
            while write(socket, bytes, bytes.count) > 0 {}
            #expect(sockets.isWaitingToWrite(socket) == isMultiplexed)
        }
    }
#endif
