import Dispatch
import Foundation
import NetKit
import Synchronization

/// The state that a server's threads share: routes, records, open connections and waits.
///
/// The threads hold this object instead of `MockServer`, so that a released server can stop itself.
final class ServerCore: Sendable {
    enum Goal {
        case requests(Int)
        case openConnections(Int)
    }

    private struct State {
        var routes: [ServerRoute] = []
        var faults: [(number: Int?, fault: ConnectionFault?)] = []
        var requests: [ServerRequest] = []
        var connectionCount = 0
        var open: [Int: ServerSocket] = [:]
        var bytesPerSecond: Int?
        var isStopped = false
        var waits: [TestWait<Goal>] = []

        func isReached(_ goal: Goal) -> Bool {
            if isStopped { return true }
            return switch goal {
            case .requests(let count): requests.count >= count
            case .openConnections(let count): open.count == count
            }
        }

        mutating func takeReached() -> [TestWait<Goal>] {
            guard !waits.isEmpty else { return [] }
            let state = self
            return waits.takeReached { state.isReached($0) }
        }
    }

    /// The latch that ends stalls.
    let latch: Latch
    let threads = DispatchGroup()
    private let state = ContendedLock(State())
    private let sentBytes = Atomic<Int>(0)

    init() throws {
        latch = try Latch()
    }

    /// The requests, copied because ThreadSanitizer does not see that a returned array is released before the next
    /// change.
    var requests: [ServerRequest] { state.withLock { $0.requests.map(\.self) } }
    var connectionCount: Int { state.withLock { $0.connectionCount } }
    var openConnectionCount: Int { state.withLock { $0.open.count } }

    var sentByteCount: Int { sentBytes.load(ordering: .relaxed) }

    func noteSent(_ count: Int) {
        sentBytes.wrappingAdd(count, ordering: .relaxed)
    }

    var bytesPerSecond: Int? {
        get { state.withLock { $0.bytesPerSecond } }
        set { state.withLock { $0.bytesPerSecond = newValue } }
    }

    func add(_ route: ServerRoute) {
        state.withLock { $0.routes.append(route) }
    }

    func add(_ fault: ConnectionFault?, forConnection number: Int?) {
        state.withLock { $0.faults.append((number, fault)) }
    }

    func removeAllRequests() {
        state.withLock { $0.requests.removeAll() }
    }

    func wait(for goal: Goal) async {
        let wait = TestWait(for: goal)
        let isReached = state.withLock { state in
            if state.isReached(goal) { return true }
            state.waits.append(wait)
            return false
        }
        if isReached { return }
        await wait.value {
            switch goal {
            case .requests(let count):
                return TestWaitReport.requests(
                    count,
                    to: "mock server",
                    present: requests.map { "\($0.method) \($0.path)" }
                )
            case .openConnections(let count):
                let awaited = count.counting("open connection")
                return "\(awaited) to the mock server. There were \(openConnectionCount)."
            }
        }
    }

    // MARK: - Connections

    /// Registers a connection and serves it on a separate thread.
    func accept(_ socket: ServerSocket) {
        let entry = change { state -> (number: Int, fault: ConnectionFault?)? in
            guard !state.isStopped else { return nil }
            state.connectionCount += 1
            let number = state.connectionCount
            state.open[number] = socket
            let fault = state.faults.last { $0.number == nil || $0.number == number }?.fault
            return (number, fault)
        }
        guard let entry else { return socket.closeAtOnce() }
        ServerThread.start(name: "netkit.mock-server", in: threads) { [self] in
            ServerConnection(socket, number: entry.number, core: self).run(entry.fault)
        }
    }

    /// Closes a connection under the lock, so that `stop` never uses a descriptor that was reused meanwhile.
    func close(_ number: Int, withReset isReset: Bool) {
        change { state in
            guard let socket = state.open.removeValue(forKey: number) else { return }
            if isReset { socket.closeWithReset() } else { socket.closeAtOnce() }
        }
    }

    /// Returns the next responder of the last route that matches a request.
    func responder(to request: ServerRequest) -> ServerRoute.Responder {
        state.withLock { state in
            if let index = state.routes.lastIndex(where: { $0.matches(request) }) { return state.routes[index].next() }
            let routes = state.routes.map(\.description).joined(separator: "; ")
            let names = request.items.map { "\($0.name)=…" }
            let query = names.isEmpty ? "" : "?" + names.joined(separator: "&")
            let asked = "\(request.method) \(request.path)\(query)"
            let text = "No route matches \(asked). \(routes.isEmpty ? "There are none" : "Routes: \(routes)")."
            return .replies([.problem(text, status: .notFound)])
        }
    }

    func record(_ request: ServerRequest) {
        change { $0.requests.append(request) }
    }

    /// Ends every connection and every wait, and accepts no more.
    func stop() {
        change { state in
            state.isStopped = true
            for socket in state.open.values { socket.shutDownBothSides() }
        }
        // A handler may stop the server, but its thread cannot wait for itself.
        if !ServerThread.isCurrent(in: threads) {
            threads.wait()
            latch.dispose()
        }
        // Handlers may hold the server.
        state.withLock { $0.routes.removeAll() }
    }

    private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, reached) = state.withLock { state in (body(&state), state.takeReached()) }
        for wait in reached { wait.finish() }
        return result
    }
}

/// The conditions of a route and its responder.
struct ServerRoute: Sendable, CustomStringConvertible {
    enum Responder: Sendable {
        case replies([ServerReply])
        case handler(@Sendable (ServerRequest) -> ServerReply)

        /// Returns the reply to a request.
        func reply(to request: ServerRequest) -> ServerReply {
            switch self {
            case .replies(let replies): replies.first ?? .status(200)
            case .handler(let handler): handler(request)
            }
        }
    }

    let method: HTTPMethod?
    let pattern: PathPattern
    let responder: Responder
    /// The number of replies that were returned.
    var given = 0

    init(_ method: HTTPMethod?, _ path: String, _ responder: Responder) {
        self.method = method
        pattern = PathPattern(path)
        self.responder = responder
    }

    var description: String { "\(method?.rawValue ?? "any method") \(pattern)" }

    func matches(_ request: ServerRequest) -> Bool {
        guard method == nil || method == request.method, pattern.matches(request.path[...]) else { return false }
        return pattern.items.isEmpty || Set(pattern.items).isSubset(of: request.items)
    }

    /// Returns the next responder.
    ///
    /// The last reply is repeated.
    mutating func next() -> Responder {
        guard case .replies(let replies) = responder else { return responder }
        defer { given += 1 }
        return .replies(given < replies.count ? [replies[given]] : replies.suffix(1))
    }
}

/// A value behind a lock with high contention.
///
/// Under contention, `Locked` switches threads at each release. Measured with 32 connections, it allowed 10,000
/// requests a second, and this lock 45,000. It is `@unchecked Sendable` because the value is accessed only under
/// `lock`.
final class ContendedLock<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: sending Value) {
        self.value = value
    }

    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}

/// The threads of a server, with names, and a group to wait for their ends.
enum ServerThread {
    private static let groupKey = "netkit.group"

    static func start(name: String, in group: DispatchGroup, _ body: @escaping @Sendable () -> Void) {
        group.enter()
        let thread = Thread {
            body()
            group.leave()
        }
        thread.name = name
        // Not by the name, which Foundation does not keep on Linux.
        thread.threadDictionary[groupKey] = group
        // Enough for handlers that decode JSON of the greatest depth, and small enough for thousands of connections.
        thread.stackSize = 1 << 20
        thread.start()
    }

    /// Returns whether the caller runs on a thread of a group, for which it must not wait.
    static func isCurrent(in group: DispatchGroup) -> Bool {
        Thread.current.threadDictionary[groupKey] as? DispatchGroup === group
    }
}
