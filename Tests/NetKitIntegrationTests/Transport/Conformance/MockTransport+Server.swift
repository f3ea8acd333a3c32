import Foundation
import NetKit
import NetKitTesting

extension MockTransport {
    /// Creates a mock that responds as a server's routes say, in the process: the bytes that the routes would put on a
    /// wire are read from their script.
    static func responding(from server: MockServer) -> MockTransport {
        MockTransport { request, context in
            guard request.url.host == "127.0.0.1" else {
                throw NetKitError(.dns, "There is no host but this one.", outcome: .notSent)
            }
            guard request.url.scheme == "http" else {
                throw NetKitError(.tls, "There is no TLS here.", outcome: .notSent)
            }
            let bytes = try await collected(request.body)
            var headers = request.headers
            headers["Host"] = "127.0.0.1:\(server.port)"
            if request.body != nil { headers["Content-Length"] = "\(bytes.count)" }
            let arrived = ServerRequest(request.method, target: target(of: request.url), headers: headers, body: bytes)
            let script = ServerScript(server.steps(replyingTo: arrived), of: server)
            let reader = HTTP1ResponseReader(script, method: request.method)
            let head = try await reader.readHead()
            context.attempt.noteAnswered()
            let body = HTTP1ResponseBody(reader) { _ in script.abandon() }
            return try await body.response(head, delivery: context.delivery)
        }
    }

    private static func collected(_ body: HTTPBody?) async throws -> Data {
        var bytes = Data()
        if let body { for try await chunk in body.chunks { bytes.append(chunk) } }
        return bytes
    }

    private static func target(of url: URL) -> String {
        let path = url.path(percentEncoded: true)
        return (path.isEmpty ? "/" : path) + (url.query(percentEncoded: true).map { "?\($0)" } ?? "")
    }
}

/// The steps of a reply as a source of bytes.
private final class ServerScript: ByteSource {
    private let server: MockServer
    private let steps: Locked<ArraySlice<ServerStep>>
    private let isAbandoned = Flag()

    init(_ steps: [ServerStep], of server: MockServer) {
        self.server = server
        self.steps = Locked(steps[...])
    }

    func abandon() { isAbandoned.set() }

    func read() async throws -> Data? {
        while true {
            switch steps.withLock({ $0.popFirst() }) {
            case .send(let data)?: return data
            case .pause(let duration)?: try await NetKitClock.system.sleep(for: duration)
            case .stall?: try await wait { [server] in server.isReleased }
            case .close?, .closeOnNextRequest?: return nil
            case .reset?: throw NetKitError(.connectionLost, "The connection was reset.", outcome: .unknown)
            case .repeat(let data)?:
                steps.withLock { $0 = [.repeat(data)] }
                return data
            case nil: try await wait { false }
            }
        }
    }

    /// No event reports a change in a server that is not connected to, so this one looks again and again.
    private func wait(until isOver: () -> Bool) async throws {
        while !isOver() {
            if isAbandoned.isSet { throw CancellationError() }
            try await NetKitClock.system.sleep(for: .milliseconds(2))
        }
    }
}
