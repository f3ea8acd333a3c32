import Foundation
import NetKit
import NetKitTesting

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A proxy for bytes whose connections a test can hold up, cut, or make lose a response.
final class BreakableProxy: Sendable {
    enum Mode: Sendable {
        case pass
        /// Nothing arrives on either side, and nothing ends.
        case hold
        /// The bytes of the client arrive. At the first byte of the response, both ends are cut.
        case cutAtResponse
        /// The first response that has a text is cut, and another mode begins. Everything else arrives.
        indirect case cut(at: String, next: Mode)
        /// Everything arrives but the end of a connection.
        case holdEnd
        /// Everything arrives later.
        case delay(Duration)
        /// What the client sends arrives only so fast.
        case slow(bytesPerSecond: Int)
        /// Nothing arrives anymore on connections that are used meanwhile, and nothing ends.
        case drop
        /// New connections are cut at once, and so are those that are used.
        case refuse
    }

    private struct State {
        var mode = Mode.pass
        var pairs: [(ServerSocket, ServerSocket)] = []
        var acceptedCount = 0
        var cutCount = 0
    }

    let port: UInt16
    private let listener: ServerSocket
    private let state = Locked(State())

    /// Starts a proxy whose kernel takes that much from a client, or as much as it wants.
    init(to upstream: UInt16, receiveBuffer: Int32? = nil) throws {
        listener = try ServerSocket.bound(to: 0)
        if let receiveBuffer { listener.set(SOL_SOCKET, SO_RCVBUF, receiveBuffer) }
        try listener.startListening()
        // Its thread waits in `accept`.
        _ = fcntl(listener.descriptor, F_SETFL, 0)
        port = listener.localPort
        Thread { [listener, weak self] in
            while let client = listener.acceptConnection() {
                guard let self, let server = ServerSocket.connected(to: upstream) else {
                    client.closeAtOnce()
                    continue
                }
                self.join(client, server)
            }
        }
        .start()
    }

    deinit {
        listener.shutDownBothSides()
        cut()
    }

    /// The number of connections so far.
    var acceptedCount: Int { state.withLock { $0.acceptedCount } }

    /// The number of responses that were cut because of their text.
    var cutCount: Int { state.withLock { $0.cutCount } }

    func set(_ mode: Mode) {
        state.withLock { $0.mode = mode }
    }

    /// Ends all connections.
    func cut() {
        let pairs = state.withLock { state in
            defer { state.pairs = [] }
            return state.pairs
        }
        for (client, server) in pairs {
            client.shutDownBothSides()
            server.shutDownBothSides()
        }
    }

    private func join(_ client: ServerSocket, _ server: ServerSocket) {
        let isRefused = state.withLock { state in
            state.pairs.append((client, server))
            state.acceptedCount += 1
            if case .refuse = state.mode { return true }
            return false
        }
        if isRefused { return cut() }
        pump(from: client, to: server, isResponse: false)
        pump(from: server, to: client, isResponse: true)
    }

    /// Returns whether the bytes of a response are those at which to cut, and begins the next mode then.
    private func isCut(_ response: Data) -> Bool {
        state.withLock { state in
            guard case .cut(let text, let next) = state.mode, response.range(of: Data(text.utf8)) != nil else {
                return false
            }
            state.mode = next
            state.cutCount += 1
            return true
        }
    }

    private func pump(from source: ServerSocket, to target: ServerSocket, isResponse: Bool) {
        Thread { [weak self] in
            var isDead = false
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            while true {
                var rate: Int?
                if !isResponse, case .slow(let number)? = self?.state.withLock({ $0.mode }) { rate = number }
                let limit = rate.map { min($0 / 50, buffer.count) } ?? buffer.count
                let count = buffer.withUnsafeMutableBytes { bytes in
                    source.receive(into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<limit]))
                }
                guard count > 0 else {
                    while case .holdEnd? = self?.state.withLock({ $0.mode }) { Thread.sleep(forTimeInterval: 0.005) }
                    break
                }
                if let rate { Thread.sleep(forTimeInterval: Double(count) / Double(rate)) }
                while case .hold? = self?.state.withLock({ $0.mode }) { Thread.sleep(forTimeInterval: 0.005) }
                let mode = self?.state.withLock { $0.mode }
                if isResponse, case .cutAtResponse? = mode { break }
                if isResponse, self?.isCut(Data(buffer[..<count])) == true { break }
                if case .refuse? = mode { break }
                if case .drop? = mode { isDead = true }
                if isDead { continue }
                if case .delay(let time)? = mode { Thread.sleep(forTimeInterval: time / .seconds(1)) }
                guard target.sendAll(Data(buffer[..<count]), onSent: { _ in }) else { break }
            }
            source.shutDownBothSides()
            target.shutDownBothSides()
        }
        .start()
    }
}
