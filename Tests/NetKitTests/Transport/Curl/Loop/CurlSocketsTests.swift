#if canImport(Glibc) || canImport(Musl)
    import CNetKitSystem
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

        /// A server may respond before it has read the whole body, whose last bytes then end the transfer.
        ///
        /// The numbers are libcurl's: 2 watches for room, 3 for bytes as well, and 4 ends that.
        @Test(arguments: [2, 3] as [Int32]) func theRoomInAnIdleConnectionWakesNothing(lastWatch: Int32) throws {
            var ends: [Int32] = [-1, -1]
            try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
            defer { for end in ends { close(end) } }
            let set = nk_epoll_create()
            try #require(set >= 0)
            defer { nk_close(set) }
            func eventCount() -> Int32 {
                var ready = [nk_ready](repeating: nk_ready(), count: Int(NK_READY_MAXIMUM))
                return nk_epoll_wait(set, &ready, 0)
            }
            var sockets = CurlSockets(set: set, tls: nil)
            sockets.noteOpened(ends[0], by: 1)
            sockets.watch(ends[0], lastWatch)
            #expect(eventCount() == 1)
            sockets.watch(ends[0], 4)
            #expect(eventCount() == 0)
            // Bytes that no request asked for do.
            #expect(write(ends[1], [1] as [UInt8], 1) == 1)
            #expect(eventCount() == 1)
        }
    }
#endif
