public import Foundation
public import NetKit

/// A real HTTP/1.1 server on a loopback port, for tests: it answers as routes say, and misbehaves exactly as told.
///
/// ```swift
/// let server = try MockServer()
/// server.on(.get, "/users/42", .json(#"{"id":42}"#))
/// server.on(.get, "/flaky", .status(503), .text("hel").resetting(at: .inBody(after: 2)), .text("hello"))
/// server.on(.post, "/echo") { request in .data(request.body) }
/// server.onConnect(2, .reset)
/// let client = HTTPClient(baseURL: server.baseURL)
/// #expect(server.requests.map(\.connection) == [1, 1, 2])
/// ```
/// In a path `*` stands for one segment and `**` at the end for any rest. Of several routes that match, the one added last
/// answers; its replies are given in turn, and the last one stays. Make one for each test: each has its own port, and ends
/// with `stop()` or with its last reference. It speaks no TLS.
public final class MockServer: Sendable {
    private enum Door {
        case open(ServerListener)
        /// The port is held, and connections are refused.
        case shut(ServerSocket)
        case changing
        case stopped
    }

    /// The port it listens on.
    public let port: UInt16
    private let core: ServerCore
    private let door: Locked<Door>

    /// Starts a server on a port, 0 for any free one.
    ///
    /// - Throws: A `POSIXError`, for instance when the port is taken.
    public init(port: UInt16 = 0) throws {
        let core = try ServerCore()
        let socket = try ServerSocket.bound(to: port)
        self.port = socket.localPort
        self.core = core
        door = Locked(.open(try ServerListener(socket, onAccept: core.accept)))
    }

    deinit {
        stop()
    }

    /// The URL of its root.
    public var baseURL: URL { url("/") }

    /// The URL of a path, which may have a query.
    public func url(_ path: String) -> URL {
        URL(string: "http://127.0.0.1:\(port)\(path.hasPrefix("/") ? "" : "/")\(path)") ?? URL(fileURLWithPath: path)
    }

    // MARK: - What it answers

    /// Answers requests of a method (nil: each) and path with replies in turn; the last one stays.
    public func on(_ method: HTTPMethod?, _ path: String, _ replies: ServerReply...) {
        core.add(ServerRoute(method, path, .replies(replies)))
    }

    /// Answers requests of a method (nil: each) and path with what a function makes of them, on any thread.
    ///
    /// The function gets the whole request: the reply's `after(_:)` has no effect.
    public func on(_ method: HTTPMethod?, _ path: String, handler: @escaping @Sendable (ServerRequest) -> ServerReply) {
        core.add(ServerRoute(method, path, .handler(handler)))
    }

    /// Makes the connection of a number (nil: each) fail right after it was accepted; a nil fault takes that back.
    public func onConnect(_ number: Int? = nil, _ fault: ConnectionFault?) {
        core.add(fault, forConnection: number)
    }

    /// Limits each connection, both ways, to a number of bytes a second; nil lifts the limit.
    public func throttle(bytesPerSecond: Int?) {
        core.bytesPerSecond = bytesPerSecond.map { max(1, $0) }
    }

    /// Ends every stall, now and from now on.
    public func release() {
        core.latch.open()
    }

    /// Answers a request that did not come over a connection: records it, and gives the steps of the reply.
    package func steps(answering request: ServerRequest) -> [ServerStep] {
        let responder = core.responder(to: request)
        core.record(request)
        return responder.reply(to: request).script(for: request)
    }

    /// Whether `release()` was called.
    package var isReleased: Bool { core.latch.isOpen }

    // MARK: - What it has seen

    /// Every request in the order in which it was read.
    public var requests: [ServerRequest] { core.requests }

    /// How many connections it has accepted.
    public var connectionCount: Int { core.connectionCount }

    /// How many connections are open.
    public var openConnectionCount: Int { core.openConnectionCount }

    /// How many bytes it has handed to the system for its clients, heads included: how far ahead of a slow reader it is.
    public var sentByteCount: Int { core.sentByteCount }

    /// Forgets the recorded requests; routes stay where they are in their sequences.
    public func forgetRequests() {
        core.forgetRequests()
    }

    /// Waits until a number of requests was read in all, or the server is stopped.
    public func waitForRequests(_ count: Int) async {
        await core.wait(for: .requests(count))
    }

    /// Waits until exactly a number of connections is open, or the server is stopped.
    public func waitForOpenConnections(_ count: Int) async {
        await core.wait(for: .openConnections(count))
    }

    // MARK: - Up and down

    /// Refuses new connections, as a server that is down; open ones are served on.
    public func refuseConnections() throws {
        let listener = door.withLock { door -> ServerListener? in
            guard case .open(let listener) = door else { return nil }
            door = .changing
            return listener
        }
        guard let listener else { return }
        do {
            leave(.shut(try listener.stopHoldingPort()))
        } catch {
            leave(.open(listener))
            throw error
        }
    }

    /// Accepts connections again, on the same port.
    public func acceptConnections() throws {
        let socket = door.withLock { door -> ServerSocket? in
            guard case .shut(let socket) = door else { return nil }
            door = .changing
            return socket
        }
        guard let socket else { return }
        leave(.open(try ServerListener(socket, onAccept: core.accept)))
    }

    /// Ends the server with its connections and threads; a second call has no effect.
    public func stop() {
        let old = door.withLock { door in
            defer { door = .stopped }
            return door
        }
        close(old)
        core.stop()
    }

    /// Ends a change of the door; when the server was stopped meanwhile, there is no door any more.
    private func leave(_ new: Door) {
        let isStopped = door.withLock { door in
            if case .stopped = door { return true }
            door = new
            return false
        }
        if isStopped { close(new) }
    }

    private func close(_ door: Door) {
        switch door {
        case .open(let listener): listener.stop()
        case .shut(let socket): socket.closeAtOnce()
        case .changing, .stopped: break
        }
    }
}

/// What happens to a connection right after it was accepted, before anything is read from it.
public struct ConnectionFault: Sendable, Hashable {
    enum Kind {
        case close
        case reset
        case stall
    }

    let kind: Kind

    /// The connection is closed.
    public static let close = ConnectionFault(kind: .close)
    /// The connection is reset.
    public static let reset = ConnectionFault(kind: .reset)
    /// Nothing is read until `release()`; then the connection is served as usual.
    public static let stall = ConnectionFault(kind: .stall)
}
