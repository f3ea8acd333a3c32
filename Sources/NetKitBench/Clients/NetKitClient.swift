import Foundation
import NetKit

/// NetKit's client with its default interceptors and configuration.
struct NetKitClient: StreamingClient {
    let client: HTTPClient
    private let delivery: Delivery

    /// Creates a client, which receives small responses as a typed call does, unless told otherwise.
    init(_ transport: some Transport, delivery: Delivery = .buffered(upTo: 1 << 20)) {
        client = HTTPClient(transport: transport)
        self.delivery = delivery
    }

    func get(_ url: URL) async throws -> Int {
        let response = try await client.send(HTTPRequest(.get, url), options: CallOptions(delivery: delivery))
        return try await response.checkedBytes()
    }

    func upload(_ source: UploadSource, to url: URL) async throws {
        let request = HTTPRequest(.post, url, body: source.body)
        let response = try await client.send(request, options: CallOptions(delivery: .buffered(upTo: 1 << 20)))
        _ = try await response.checkedBytes()
    }

    func download(_ url: URL, _ way: DownloadWay) async throws -> Int {
        let delivery = way == .streamed ? Delivery.streamed : .buffered(upTo: 1 << 30)
        return try await client.send(HTTPRequest(.get, url), options: CallOptions(delivery: delivery)).checkedBytes()
    }

    func stream(_ url: URL, _ read: (Data) async throws -> Void) async throws {
        let response = try await client.send(HTTPRequest(.get, url), options: CallOptions(delivery: .streamed))
        try await response.pass(to: read)
    }
}

/// A transport alone, without client and interceptors.
struct TransportClient: StreamingClient {
    let transport: any Transport

    init(_ transport: some Transport) {
        self.transport = transport
    }

    func get(_ url: URL) async throws -> Int {
        try await transport.send(HTTPRequest(.get, url), context: .test(delivery: .buffered(upTo: 1 << 20)))
            .checkedBytes()
    }

    func upload(_ source: UploadSource, to url: URL) async throws {
        let request = try HTTPRequest(.post, url, body: source.body).prepared()
        _ = try await transport.send(request, context: .test(delivery: .buffered(upTo: 1 << 20))).checkedBytes()
    }

    func download(_ url: URL, _ way: DownloadWay) async throws -> Int {
        let delivery = way == .streamed ? Delivery.streamed : .buffered(upTo: 1 << 30)
        return try await transport.send(HTTPRequest(.get, url), context: .test(delivery: delivery)).checkedBytes()
    }

    func stream(_ url: URL, _ read: (Data) async throws -> Void) async throws {
        let response = try await transport.send(HTTPRequest(.get, url), context: .test(delivery: .streamed))
        try await response.pass(to: read)
    }
}

extension UploadSource {
    fileprivate var body: HTTPBody {
        switch self {
        case .file(let file, _): .file(at: file, contentType: "application/octet-stream")
        case .data(let data): .data(data, contentType: "application/octet-stream")
        }
    }
}

extension HTTPResponse {
    /// Passes the body on as it arrives.
    fileprivate func pass(to read: (Data) async throws -> Void) async throws {
        guard status.isSuccess else { throw UnexpectedResponse("status \(status.code)") }
        for try await chunk in body { try await read(chunk) }
    }

    /// Reads the body to its end and returns its size, or throws if the status is not a success.
    fileprivate func checkedBytes() async throws -> Int {
        guard status.isSuccess else { throw UnexpectedResponse("status \(status.code)") }
        if let buffered = body.buffered { return buffered.count }
        var count = 0
        for try await chunk in body { count += chunk.count }
        return count
    }
}
