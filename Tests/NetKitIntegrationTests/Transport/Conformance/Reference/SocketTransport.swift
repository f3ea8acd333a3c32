import Foundation
import NetKit

/// A plain transport over sockets that keeps every promise, for tests of the conformance cases. Faulty transports are
/// made from it. It supports neither TLS nor any host but 127.0.0.1.
final class SocketTransport: Transport {
    /// The fault in how it keeps connections, for tests of the cases.
    enum Fault {
        /// Bytes on an idle connection are taken for the next response.
        case doesNotLook
        /// A connection is also kept if the rest of a body is still to come on it.
        case keepsAll
    }

    private let idle = Locked<[Int: [SocketConnection]]>([:])
    private let fault: Fault?

    init(fault: Fault? = nil) {
        self.fault = fault
    }

    func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
        try Task.checkCancellation()
        guard request.url.host == "127.0.0.1", let port = request.url.port else {
            throw NetKitError(.dns, "There is no host but this one.", outcome: .notSent)
        }
        guard request.url.scheme == "http" else {
            throw NetKitError(.tls, "There is no TLS here.", outcome: .notSent)
        }
        context.attempt.noteConnecting()
        let connection = try idleConnection(to: port) ?? SocketConnection()
        let isNew = !connection.wasUsed.isSet
        return try await withTaskCancellationHandler {
            do {
                if isNew { try await connect(connection, port, context) }
                try context.call.addressGuard?.judge(connectedAddress: "127.0.0.1")
                var response = try await exchange(request, on: connection, port, context)
                response.timings.remoteAddress = "127.0.0.1"
                response.timings.reusedConnection = !isNew
                return response
            } catch {
                connection.interrupt()
                throw error
            }
        } onCancel: {
            connection.interrupt()
        }
    }

    private func idleConnection(to port: Int) -> SocketConnection? {
        while let connection = idle.withLock({ $0[port]?.popLast() }) {
            if fault != nil ? !connection.isOver : !connection.isStale { return connection }
        }
        return nil
    }

    private func connect(_ connection: SocketConnection, _ port: Int, _ context: RequestContext) async throws {
        do {
            try await connection.connect(port: UInt16(clamping: port), within: context.timeouts.connect)
        } catch SocketConnection.Failure.timedOut {
            throw NetKitError(.timeout, "No connection in time.", outcome: .notSent, timeoutPhase: .connect)
        } catch let failure as SocketConnection.Failure {
            throw NetKitError(.connect, "No connection could be made.", outcome: .notSent, cause: failure)
        }
        connection.wasUsed.set()
    }

    private func exchange(
        _ request: HTTPRequest,
        on connection: SocketConnection,
        _ port: Int,
        _ context: RequestContext
    ) async throws -> HTTPResponse {
        context.attempt.noteSending()
        let source = SocketSource(connection: connection, timeouts: context.timeouts)
        do {
            try await write(request, to: connection, context.timeouts.idle)
        } catch SocketConnection.Failure.timedOut {
            throw SocketSource.idleTimeout(.unknown)
        } catch is SocketConnection.Failure {
            throw NetKitError(.connectionLost, "The connection broke.", outcome: .unknown)
        }
        source.noteSent()
        let reader = HTTP1ResponseReader(source, method: request.method)
        let head = try await reader.readHead()
        context.attempt.noteAnswered()
        source.noteAnswered()
        let body = HTTP1ResponseBody(reader) { [self] isClean in
            let isKept = isClean || fault == .keepsAll
            if isKept { idle.withLock { $0[port, default: []].append(connection) } } else { connection.interrupt() }
        }
        return try await body.response(head, delivery: context.delivery)
    }

    private func write(_ request: HTTPRequest, to connection: SocketConnection, _ idle: Duration?) async throws {
        var target =
            request.url.absoluteString.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
            .last.map(String.init) ?? ""
        target = String(target.prefix { $0 != "#" })
        let authority = target.prefix { $0 != "/" && $0 != "?" }
        target = String(target.dropFirst(authority.count))
        if !target.hasPrefix("/") { target = "/" + target }
        var head = "\(request.method) \(target) HTTP/1.1\r\nHost: \(authority)\r\n"
        for field in request.headers where field.name.lowercased() != "content-length" {
            head += "\(field.name): \(field.value)\r\n"
        }
        let isChunked = request.body != nil && request.body?.length == nil
        if isChunked { head += "Transfer-Encoding: chunked\r\n" }
        if let length = request.body?.length { head += "Content-Length: \(length)\r\n" }
        try await connection.write(Data((head + "\r\n").utf8), idle: idle)
        guard let body = request.body else { return }
        for try await chunk in body.chunks {
            guard isChunked else {
                try await connection.write(chunk, idle: idle)
                continue
            }
            let framed = Data("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + Data("\r\n".utf8)
            try await connection.write(framed, idle: idle)
        }
        if isChunked { try await connection.write(Data("0\r\n\r\n".utf8), idle: idle) }
    }
}
