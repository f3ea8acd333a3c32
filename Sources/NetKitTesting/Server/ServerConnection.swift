import Foundation
import NetKit

/// One connection of a server, which is served on a separate thread.
final class ServerConnection {
    /// The state of a connection after a reply.
    private enum Outcome {
        case open
        case closed
        case reset
        /// Closed at once, without reading the bytes that were received.
        case dropped
    }

    private let socket: ServerSocket
    private let number: Int
    private let core: ServerCore
    private var reader: RequestReader
    private var requestCount = 0

    init(_ socket: ServerSocket, number: Int, core: ServerCore) {
        self.socket = socket
        self.number = number
        self.core = core
        reader = RequestReader(socket)
    }

    /// Serves the connection until it ends.
    func run(_ fault: ConnectionFault?) {
        switch fault?.kind {
        case .close:
            endGently()
            return core.close(number, withReset: false)
        case .reset: return core.close(number, withReset: true)
        case .stall where !stall(): return core.close(number, withReset: false)
        case .stall, nil: break
        }
        var outcome = Outcome.open
        while outcome == .open {
            do throws(RequestFailure) {
                outcome = try exchange()
            } catch {
                outcome = giveUp(error)
            }
        }
        if outcome == .closed { endGently() }
        core.close(number, withReset: outcome == .reset)
    }

    private func giveUp(_ failure: RequestFailure) -> Outcome {
        switch failure {
        case .connectionEnded: .dropped
        case .malformed(let reason):
            play(.text("Malformed request: \(reason).\n", status: 400).connectionClose(), to: .malformed)
        }
    }

    /// Reads one request and replies to it, possibly before all of it was read.
    private func exchange() throws(RequestFailure) -> Outcome {
        var request = try reader.readRequestLine()
        requestCount += 1
        request.connection = number
        request.index = requestCount
        let responder = core.responder(to: request)
        var early: Outcome?
        if responder.depth == .requestLine { early = reply(to: request, responder) }
        if let early, early != .open { return early }
        try reader.readHeader(of: &request)
        if responder.depth == .headers { early = reply(to: request, responder) }
        if let early, early != .open { return early }
        if request.expectsContinue, !reader.hasUnreadBytes {
            // After a final response instead of 100, the body may or may not follow, so the connection cannot be
            // reused.
            if early != nil { return .closed }
            if try RequestSyntax.framing(of: request) != .none, !send(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8), nil) {
                return .dropped
            }
        }
        reader.bytesPerSecond = core.bytesPerSecond
        try reader.readBody(of: &request)
        let outcome = early ?? reply(to: request, responder)
        return outcome == .open && !request.keepsAlive ? .closed : outcome
    }

    /// Records the request and replies, in this order, so that a client with the response finds the request.
    private func reply(to request: ServerRequest, _ responder: ServerRoute.Responder) -> Outcome {
        core.record(request)
        return play(responder.reply(to: request), to: request)
    }

    private func play(_ reply: ServerReply, to request: ServerRequest) -> Outcome {
        let rate = [reply.bytesPerSecond, core.bytesPerSecond].compactMap(\.self).min()
        for step in reply.script(for: request) {
            switch step {
            case .send(let data): if !send(data, rate) { return .dropped }
            case .pause(let duration): if socket.wait(for: duration) == .hungUp { return .dropped }
            case .stall: if !stall() { return .dropped }
            case .close: return .closed
            case .reset: return .reset
            case .closeOnNextRequest:
                if !reader.hasUnreadBytes { _ = socket.wait(reading: true) }
                return .dropped
            case .repeat(let data):
                while send(data, rate) {}
                return .dropped
            }
        }
        return .open
    }

    /// Waits for the server's `release()`.
    ///
    /// Returns `false` if the peer hangs up or the server stops.
    private func stall() -> Bool { socket.wait(latch: core.latch) == .latchOpened }

    private func send(_ data: Data, _ bytesPerSecond: Int?) -> Bool {
        guard let bytesPerSecond else { return socket.sendAll(data, onSent: core.noteSent) }
        let slice = max(1, bytesPerSecond / 50)
        var due = ContinuousClock.now
        var rest = data
        while !rest.isEmpty {
            let piece = rest.prefix(slice)
            rest = rest.dropFirst(slice)
            guard socket.sendAll(piece, onSent: core.noteSent) else { return false }
            due += .seconds(Double(piece.count) / Double(bytesPerSecond))
            let early = ContinuousClock.now.duration(to: due)
            if early > .zero, socket.wait(for: early) == .hungUp { return false }
        }
        return true
    }

    /// Ends the sending side and reads the bytes that still arrive, because a close with unread bytes would be a reset.
    private func endGently() {
        socket.shutDownSending()
        let deadline = ContinuousClock.now + .milliseconds(500)
        var trash = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let left = ContinuousClock.now.duration(to: deadline)
            guard left > .zero, socket.wait(reading: true, for: left) == .readable else { return }
            guard trash.withUnsafeMutableBytes({ socket.receive(into: $0) }) > 0 else { return }
        }
    }
}

extension ServerRequest {
    /// A placeholder for a request that could not be read.
    fileprivate static let malformed = ServerRequest(
        method: .get,
        target: "",
        version: "HTTP/1.1",
        path: "",
        rawHead: Data()
    )
}

extension ServerRoute.Responder {
    /// The part of the request to read before replying.
    ///
    /// A handler needs the whole request.
    fileprivate var depth: ServerReply.Depth {
        if case .replies(let replies) = self { replies.first?.depth ?? .body } else { .body }
    }
}
