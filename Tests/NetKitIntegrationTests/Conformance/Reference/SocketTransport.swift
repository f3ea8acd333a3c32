import Foundation
import NetKit

/// A plain transport over sockets that keeps every promise: the conformance cases are tried on it, and wrong transports
/// are made by spoiling it. It knows no TLS and no host but 127.0.0.1.
final class SocketTransport: Transport {
    private let idle = Locked<[Int: [SocketConnection]]>([:])

    func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
        try Task.checkCancellation()
        guard request.url.host == "127.0.0.1", let port = request.url.port else {
            throw NetKitError(.dns, "There is no host but this one.", outcome: .notSent)
        }
        context.attempt.noteConnecting()
        let connection = try idleConnection(to: port) ?? SocketConnection()
        let isNew = !connection.wasUsed.isSet
        return try await withTaskCancellationHandler {
            do {
                if isNew { try await connect(connection, port, context) }
                return try await exchange(request, on: connection, port, context)
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
            if !connection.isStale { return connection }
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
        let reader = AnswerReader(source, method: request.method)
        let head = try await reader.readHead()
        context.attempt.noteAnswered()
        source.noteAnswered()
        let body = SocketBody(reader, onEnd: { [self] isClean in
            if isClean { idle.withLock { $0[port, default: []].append(connection) } } else { connection.interrupt() }
        })
        let streamed = ResponseBody(length: head.length, source: body)
        if await reader.isOver { _ = try await body.next() }
        guard let limit = context.delivery.bufferLimit else {
            return HTTPResponse(status: head.status, headers: head.headers, body: streamed)
        }
        let data = try await streamed.collect(upTo: limit)
        let buffered = ResponseBody(data, trailers: streamed.trailers)
        return HTTPResponse(status: head.status, headers: head.headers, body: buffered)
    }

    private func write(_ request: HTTPRequest, to connection: SocketConnection, _ idle: Duration?) async throws {
        var target = request.url.absoluteString.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
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

/// The bytes of one answer, with the limits that hold for them.
private final class SocketSource: ByteSource {
    private let connection: SocketConnection
    private let timeouts: Timeouts
    private let progress = Locked<(firstByteDue: ContinuousClock.Instant?, isAnswered: Bool)>((nil, false))

    init(connection: SocketConnection, timeouts: Timeouts) {
        self.connection = connection
        self.timeouts = timeouts
    }

    func noteSent() {
        let due = timeouts.firstByte.map { ContinuousClock.now + $0 }
        progress.withLock { $0.firstByteDue = due }
    }

    func noteAnswered() {
        progress.withLock { $0.isAnswered = true }
    }

    func read() async throws -> Data? {
        let (due, isAnswered) = progress.withLock { $0 }
        let firstByte = due.map { max(.zero, ContinuousClock.now.duration(to: $0)) }
        do {
            let data = try await connection.read(within: [firstByte, timeouts.idle].compactMap(\.self).min())
            progress.withLock { $0.firstByteDue = nil }
            return data
        } catch SocketConnection.Failure.timedOut {
            if let firstByte, firstByte < timeouts.idle ?? .seconds(1 << 32) {
                throw NetKitError(.timeout, "No first byte.", outcome: .unknown, timeoutPhase: .firstByte)
            }
            throw Self.idleTimeout(isAnswered ? .answered : .unknown)
        } catch is SocketConnection.Failure {
            let outcome: NetKitError.Outcome = isAnswered ? .answered : .unknown
            throw NetKitError(.connectionLost, "The connection broke.", outcome: outcome)
        }
    }

    static func idleTimeout(_ outcome: NetKitError.Outcome) -> NetKitError {
        NetKitError(.timeout, "Nothing moved.", outcome: outcome, timeoutPhase: .idle)
    }
}

/// A body that is read from the socket as its reader asks for it.
private final class SocketBody: ResponseBodySource {
    private let reader: AnswerReader
    private let onEnd: Locked<(@Sendable (Bool) -> Void)?>
    private let ended = Locked<HTTPHeaders?>(nil)

    init(_ reader: AnswerReader, onEnd: @escaping @Sendable (Bool) -> Void) {
        self.reader = reader
        self.onEnd = Locked(onEnd)
    }

    deinit { end(isClean: false) }

    var trailers: HTTPHeaders? { ended.withLock { $0 } }

    func next() async throws -> Data? {
        try await withTaskCancellationHandler {
            do {
                if let chunk = try await reader.nextChunk() { return chunk }
                let trailers = await reader.trailers
                ended.withLock { $0 = trailers ?? HTTPHeaders() }
                end(isClean: await reader.leavesConnectionClean)
                return nil
            } catch {
                end(isClean: false)
                throw (error as? NetKitError)?.with(outcome: .answered) ?? error
            }
        } onCancel: {
            end(isClean: false)
        }
    }

    func cancel(_ reason: any Error) { end(isClean: false) }

    private func end(isClean: Bool) {
        let action = onEnd.withLock { action in
            defer { action = nil }
            return action
        }
        action?(isClean)
    }
}
