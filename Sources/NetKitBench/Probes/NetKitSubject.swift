import Foundation
import NetKit

/// NetKit's client over a transport, without interceptors.
struct NetKitSubject: ProbeSubject {
    private let transport: any Transport
    private let client: HTTPClient

    init(_ transport: some Transport) {
        self.transport = transport
        client = HTTPClient(transport: transport, interceptors: [])
    }

    func send(_ request: ProbeRequest) async throws -> ProbeResponse {
        var converted = HTTPRequest(
            HTTPMethod(request.method),
            request.url,
            headers: HTTPHeaders(request.headers.map { HTTPHeaders.Field($0.name, $0.value) })
        )
        switch request.body {
        case nil: break
        case .data(let data): converted.body = .data(data)
        case .file(let file): converted.body = .file(at: file)
        case .stream(let data):
            converted.body = .stream(
                AsyncStream {
                    $0.yield(data)
                    $0.finish()
                }
            )
        }
        var options = CallOptions(delivery: .buffered(upTo: 1 << 30))
        if let idle = request.idleLimit { options.timeouts = Timeouts(idle: idle) }
        return try await Self.response(client.send(converted, options: options))
    }

    func readSlowly(_ url: URL, pause: Duration) async throws -> Int {
        var options = CallOptions(delivery: .streamed)
        options.timeouts = Timeouts.none
        let response = try await client.send(HTTPRequest(.get, url), options: options)
        var count = 0
        for try await chunk in response.body {
            if count == 0 { try await Task.sleep(for: pause) }
            count += chunk.count
        }
        return count
    }

    func suspendAndResume(_ url: URL) async throws -> Int { throw NotOffered() }

    func refuseRedirect(_ url: URL) async throws -> ProbeResponse {
        var configuration = HTTPClient.Configuration()
        configuration.redirects = .none
        let client = HTTPClient(transport: transport, interceptors: [], configuration: configuration)
        return try await Self.response(client.send(HTTPRequest(.get, url), options: CallOptions()))
    }

    func refuseChallenge(_ url: URL) async throws -> String {
        try await Self.response(client.send(HTTPRequest(.get, url), options: CallOptions())).words
    }

    func get(_ url: URL, wholeLimit: Duration) async throws -> ProbeResponse {
        let options = CallOptions(timeout: wholeLimit, delivery: .buffered(upTo: 1 << 30))
        return try await Self.response(client.send(HTTPRequest(.get, url), options: options))
    }

    private static func response(_ response: HTTPResponse) async throws -> ProbeResponse {
        let data = try await response.body.collect(upTo: 1 << 30)
        let headers = response.headers
        return ProbeResponse(
            status: response.status.code,
            byteCount: data.count,
            values: { headers.values(of: $0) },
            trailers: (response.trailers ?? HTTPHeaders()).map { ($0.name, $0.value) }
        )
    }
}
