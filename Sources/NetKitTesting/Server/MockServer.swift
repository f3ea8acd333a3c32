public import Foundation
public import NetKit

/// An HTTP/1.1 server on a loopback port for tests, which responds by routes and can misbehave in controlled ways.
///
/// ```swift
/// let server = try MockServer()
/// server.on(.get, "/users/42", .jsonText(#"{"id":42}"#))
/// server.on(.get, "/flaky", .status(503), .text("hel").resetting(at: .inBody(after: 2)), .text("hello"))
/// server.on(.post, "/echo") { request in .data(request.body) }
/// server.onConnect(2, .reset)
/// let client = HTTPClient(baseURL: server.baseURL)
/// #expect(server.requests.map(\.connection) == [1, 1, 2])
/// ```
/// In a path, `*` matches one segment and a final `**` any rest. If several routes match, the one added last responds.
/// It returns its replies in turn and repeats the last one. A request without a matching route gets status 404 and a
/// problem (RFC 9457) that names the routes. Create a server for each test: each has its own port, and runs until
/// `stop()` is called or it is released. The server does not support TLS.
public final class MockServer: Sendable {
    private enum Door {
        case open(ServerListener)
        /// The port is reserved, and connections are refused.
        case shut(ServerSocket)
        case changing
        case stopped
    }

    /// The port of the server.
    public let port: UInt16
    private let core: ServerCore
    private let door: Locked<Door>

    /// Starts a server.
    ///
    /// - Parameter port: The port, or 0 for any free port.
    /// - Throws: `NetKitError` with `.invalidConfiguration` if the port is in use; otherwise a `POSIXError`.
    public init(port: UInt16 = 0) throws {
        let core = try ServerCore()
        let socket = try Self.bound(to: port)
        self.port = socket.localPort
        self.core = core
        do {
            door = Locked(.open(try ServerListener(socket, onAccept: core.accept)))
        } catch {
            socket.closeAtOnce()
            throw error
        }
    }

    deinit {
        stop()
    }

    private static func bound(to port: UInt16) throws -> ServerSocket {
        do {
            return try ServerSocket.bound(to: port)
        } catch let error as POSIXError where error.code == .EADDRINUSE && port != 0 {
            let message = "Port \(port) is in use. Stop its user, or choose another port; 0 stands for any free one."
            throw NetKitError(.invalidConfiguration, message, cause: error)
        }
    }

    /// The URL of the server's root.
    public var baseURL: URL { url("/") }

    /// Returns the URL of a path, which may include a query.
    public func url(_ path: String) -> URL {
        URL(string: "http://127.0.0.1:\(port)\(path.hasPrefix("/") ? "" : "/")\(path)") ?? URL(fileURLWithPath: path)
    }

    // MARK: - Routes

    /// Adds a route with replies, which are returned in turn.
    ///
    /// The last one is repeated.
    ///
    /// - Parameters:
    ///   - method: The method, or `nil` to match all.
    ///   - path: The path pattern.
    ///   - replies: The replies.
    public func on(_ method: HTTPMethod?, _ path: String, _ replies: ServerReply...) {
        core.add(ServerRoute(method, path, .replies(replies)))
    }

    /// Adds a route with a handler, which is called on any thread.
    ///
    /// The handler gets the whole request, so the reply's `after(_:)` has no effect.
    ///
    /// - Parameters:
    ///   - method: The method, or `nil` to match all.
    ///   - path: The path pattern.
    ///   - handler: A closure that returns the reply to a request.
    public func on(_ method: HTTPMethod?, _ path: String, handler: @escaping @Sendable (ServerRequest) -> ServerReply) {
        core.add(ServerRoute(method, path, .handler(handler)))
    }

    /// Makes a connection fail right after it is accepted.
    ///
    /// - Parameters:
    ///   - number: The number of the connection, from 1, or `nil` for all.
    ///   - fault: The fault, or `nil` for none.
    public func onConnect(_ number: Int? = nil, _ fault: ConnectionFault?) {
        core.add(fault, forConnection: number)
    }

    /// Limits the rate of each connection in both directions.
    ///
    /// `nil` removes the limit.
    public func throttle(bytesPerSecond: Int?) {
        core.bytesPerSecond = bytesPerSecond.map { max(1, $0) }
    }

    /// Ends all current and future stalls.
    public func release() {
        core.latch.open()
    }

    /// Records a request that did not arrive over a connection, and returns the steps of its reply.
    package func steps(replyingTo request: ServerRequest) -> [ServerStep] {
        let responder = core.responder(to: request)
        core.record(request)
        return responder.reply(to: request).script(for: request)
    }

    /// Whether `release()` was called.
    package var isReleased: Bool { core.latch.isOpen }

    // MARK: - Records

    /// The requests in the order in which they were read.
    public var requests: [ServerRequest] { core.requests }

    /// The number of accepted connections.
    public var connectionCount: Int { core.connectionCount }

    /// The number of open connections.
    public var openConnectionCount: Int { core.openConnectionCount }

    /// The number of bytes sent to clients, including heads.
    public var sentByteCount: Int { core.sentByteCount }

    /// Removes the recorded requests.
    ///
    /// The routes keep their positions in their sequences.
    public func removeAllRequests() {
        core.removeAllRequests()
    }

    /// Waits until a total number of requests was read or the server is stopped.
    ///
    /// Those that `removeAllRequests()` has removed do not count.
    ///
    /// If the test is cancelled first, as it is at its time limit, the wait ends, and a line on standard error says
    /// what it waited for.
    public func waitForRequests(_ count: Int) async {
        await core.wait(for: .requests(count))
    }

    /// Waits until exactly a number of connections is open or the server is stopped.
    ///
    /// If the test is cancelled first, as it is at its time limit, the wait ends, and a line on standard error says
    /// what it waited for.
    public func waitForOpenConnections(_ count: Int) async {
        await core.wait(for: .openConnections(count))
    }

    // MARK: - Availability

    /// Refuses new connections, as if the server were down.
    ///
    /// Open connections are not affected.
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
        do {
            leave(.open(try ServerListener(socket, onAccept: core.accept)))
        } catch {
            leave(.shut(socket))
            throw error
        }
    }

    /// Stops the server with its connections and threads.
    ///
    /// Later calls have no effect.
    public func stop() {
        close(door.withLock { exchange(&$0, with: .stopped) })
        core.stop()
    }

    /// Ends a change of the door.
    ///
    /// If the server was stopped meanwhile, the new door is closed.
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

/// A fault of a connection right after it was accepted.
public struct ConnectionFault: Sendable, Hashable {
    enum Kind {
        case close
        case reset
        case stall
    }

    let kind: Kind

    /// Closes the connection.
    public static let close = ConnectionFault(kind: .close)
    /// Resets the connection.
    public static let reset = ConnectionFault(kind: .reset)
    /// Reads nothing until `release()`, and then serves the connection normally.
    public static let stall = ConnectionFault(kind: .stall)
}
