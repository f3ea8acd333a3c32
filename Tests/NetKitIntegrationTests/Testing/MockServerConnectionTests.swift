import Dispatch
import Foundation
import NetKit
import NetKitTestSupport
import Testing

@testable import NetKitTesting

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tests of how connections begin, and how the server ends.
@Suite(.needsTheMachine)
struct MockServerConnectionTests {
    @Test(arguments: [(ConnectionFault.close, RawConnection.End.closed), (.reset, .reset)])
    func oneConnectionFails(fault: ConnectionFault, end: RawConnection.End) throws {
        let server = try MockServer()
        server.on(.get, "/", .text("ok").connectionClose())
        server.onConnect(2, fault)
        #expect(try RawConnection.get(server.port, "/").text.hasSuffix("ok"))
        let second = try #require(RawConnection(port: server.port))
        #expect(second.read() == .init(end: end))
        #expect(try RawConnection.get(server.port, "/").text.hasSuffix("ok"))
        #expect(server.connectionCount == 3)
        #expect(server.requests.map(\.connection) == [1, 3])
    }

    @Test func allConnectionsFailUntilTheFaultIsRemoved() throws {
        let server = try MockServer()
        server.on(.get, "/", .text("ok").connectionClose())
        server.onConnect(nil, .close)
        for _ in 0..<3 { #expect(try #require(RawConnection(port: server.port)).read() == .init(end: .closed)) }
        server.onConnect(nil, nil)
        #expect(try RawConnection.get(server.port, "/").text.hasSuffix("ok"))
    }

    @Test func stalledConnectionsAreServedAfterTheRelease() async throws {
        let server = try MockServer()
        server.on(.get, "/", .text("ok").connectionClose())
        server.onConnect(1, .stall)
        let stalled = try #require(RawConnection(port: server.port))
        stalled.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        await server.waitForOpenConnections(1)
        #expect(try RawConnection.get(server.port, "/").text.hasSuffix("ok"))
        #expect(server.requests.map(\.connection) == [2])
        server.release()
        #expect(stalled.read().text.hasSuffix("ok"))
        #expect(server.requests.map(\.connection) == [2, 1])
    }

    @Test func refusedConnectionsComeBackOnTheSamePort() throws {
        let server = try MockServer()
        server.on(.get, "/", .text("ok"))
        let open = try #require(RawConnection(port: server.port))
        open.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        _ = open.read(until: "ok")
        for _ in 0..<3 {
            try server.refuseConnections()
            try server.refuseConnections()
            #expect(RawConnection(port: server.port) == nil)
            open.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(open.read(until: "ok").text.hasSuffix("ok"))
            try server.acceptConnections()
            try server.acceptConnections()
            #expect(try RawConnection.get(server.port, "/", headers: "Connection: close\r\n").text.hasSuffix("ok"))
        }
    }

    /// A process that is being started has a copy of every descriptor for a moment.
    @Test func aCopyOfItsDescriptorDoesNotKeepListening() throws {
        let bound = try ServerSocket.bound(to: 0)
        let (port, copy) = (bound.localPort, dup(bound.descriptor))
        defer { close(copy) }
        let listener = try ServerListener(bound) { $0.closeAtOnce() }
        #expect(RawConnection(port: port) != nil)
        listener.stop()
        #expect(RawConnection(port: port) == nil)
    }

    /// A socket that is not connected counts as hung up.
    @Test(arguments: [Duration.seconds(Int64.max), Duration(attoseconds: .max)])
    func aPauseMayLastForever(_ duration: Duration) throws {
        let socket = try ServerSocket.make()
        defer { socket.closeAtOnce() }
        #expect(socket.wait(for: duration) == .hungUp)
    }

    /// Otherwise, another server that starts meanwhile could get the port.
    @Test func aPortThatRefusesIsNeverFree() throws {
        let server = try MockServer()
        var others: [MockServer] = []
        for _ in 0..<20 {
            #expect(throws: Never.self) { try server.refuseConnections() }
            #expect(throws: NetKitError.self) { try MockServer(port: server.port) }
            others.append(try MockServer())
            #expect(throws: Never.self) { try server.acceptConnections() }
            #expect(throws: NetKitError.self) { try MockServer(port: server.port) }
        }
        #expect(!others.map(\.port).contains(server.port))
    }

    @Test func aPortCanBeChosenUnlessItIsInUse() throws {
        // Other tests start servers too, and may get the port while it is free, so it is tried several times.
        let reopened = try (0..<20).contains { _ in
            let first = try MockServer()
            let error = #expect(throws: NetKitError.self) { try MockServer(port: first.port) }
            #expect(error?.code == .invalidConfiguration)
            #expect(error?.message.hasPrefix("Port \(first.port) is in use.") == true)
            first.stop()
            return (try? MockServer(port: first.port))?.port == first.port
        }
        #expect(reopened)
    }

    @Test func stoppingEndsEverything() async throws {
        let server = try MockServer()
        server.on(.get, "/", .text("ok").stalling(at: .inHeaders))
        let idle = try #require(RawConnection(port: server.port))
        let stalled = try #require(RawConnection(port: server.port))
        stalled.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        await server.waitForRequests(1)
        await server.waitForOpenConnections(2)
        let waiting = Task { await server.waitForRequests(100) }
        server.stop()
        await waiting.value
        #expect(server.openConnectionCount == 0)
        #expect(idle.read() == .init(end: .closed))
        #expect(stalled.read().end == .closed)
        #expect(RawConnection(port: server.port) == nil)
        server.stop()
        #expect(throws: Never.self) { try server.refuseConnections() }
        #expect(throws: Never.self) { try server.acceptConnections() }
        #expect(RawConnection(port: server.port) == nil)
    }

    @Test func theLastReferenceEndsTheServer() throws {
        var server: MockServer? = try MockServer()
        let port = try #require(server?.port)
        let idle = try #require(RawConnection(port: port))
        server = nil
        #expect(idle.read().end != .timedOut)
        #expect(RawConnection(port: port) == nil)
    }

    @Test func handlersMayStopTheirServer() throws {
        let (server, stopped) = (try MockServer(), DispatchSemaphore(value: 0))
        server.on(.get, "/") { [weak server] _ in
            server?.stop()
            stopped.signal()
            return .text("too late")
        }
        #expect(try RawConnection.get(server.port, "/").end == .closed)
        // Otherwise the handler waits for its own thread, and so would a second stop.
        try #require(stopped.wait(timeout: .now() + 60) == .success)
        server.stop()
    }

    @Test func twoHundredServersWorkInParallel() async throws {
        let numbers = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let server = try MockServer()
                    server.on(.get, "/", .text("server \(number)").connectionClose())
                    let text = try RawConnection.get(server.port, "/").text
                    return text.hasSuffix("\r\n\r\nserver \(number)") ? number : -1
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(numbers.sorted() == Array(0..<200))
    }

    #if canImport(Glibc)
        /// The limit of descriptors is set for a whole process, so the test has one of its own.
        @Test(.inAProcessOfItsOwn) func acceptsConnectionsAfterAnAttemptThatFailed() async {
            await #expect(processExitsWith: .success) {
                let server = try MockServer()
                server.on(.get, "/", .text("ok"))
                try server.refuseConnections()
                var limit = rlimit()
                getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                var none = limit
                none.rlim_cur = 3
                setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none)
                let error = #expect(throws: POSIXError.self) { try server.acceptConnections() }
                setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                try server.acceptConnections()
                let text = try RawConnection.get(server.port, "/", headers: "Connection: close\r\n").text
                exit(error?.code == .EMFILE && text.hasSuffix("ok") ? EXIT_SUCCESS : EXIT_FAILURE)
            }
        }
    #endif

    #if os(Linux)
        @Test(.inAProcessOfItsOwn) func serversLeaveNoSocketsOpen() async {
            // Other tests open descriptors at the same time, so the test has a process of its own.
            await #expect(processExitsWith: .success) {
                let before = try openSockets()
                for number in 0..<200 {
                    let server = try MockServer()
                    server.on(nil, "/", .text("ok").stalling(at: .end))
                    let client = try #require(RawConnection(port: server.port))
                    client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                    #expect(client.read(until: "ok").text.hasSuffix("ok"))
                    if number.isMultiple(of: 2) { try server.refuseConnections() }
                    if number.isMultiple(of: 4) { try server.acceptConnections() }
                    if number.isMultiple(of: 3) { server.stop() }
                }
                let after = try openSockets()
                exit(before == after ? EXIT_SUCCESS : EXIT_FAILURE)
            }
        }
    #endif
}

/// Counts the open sockets; the runtime opens other descriptors when it first needs timers and event queues.
private func openSockets() throws -> Int {
    let folder = "/proc/self/fd"
    return try FileManager.default.contentsOfDirectory(atPath: folder)
        .compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)") }
        .count { $0.hasPrefix("socket:") }
}
