import Foundation
import NetKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Clients whose cache has the requested responses, and a client and a file to compare them with.
struct CacheSetup: Sendable {
    private static let size = 1_000_000

    private let cached: HTTPClient
    private let plain: HTTPClient
    private let disk: HTTPClient
    private let url: URL
    private let file: URL

    init(server: ServerAddress, folder: ScratchFolder) async throws {
        url = server.small
        // The responses of the server do not give a lifetime.
        let policy = CachePolicy.cacheFirst.lasting(.seconds(86_400))
        cached = HTTPClient(interceptors: .standard + [CacheInterceptor(MemoryCacheStore(), policy: policy)])
        plain = HTTPClient()
        let body = Data((0..<Self.size).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let large = MockTransport { _, _ in
            HTTPResponse(status: .ok, headers: ["Cache-Control": "max-age=86400"], body: ResponseBody(body))
        }
        let store = DiskCacheStore(directory: folder.url.appending(path: "cache"))
        disk = HTTPClient(transport: large, interceptors: .standard + [CacheInterceptor(store)])
        file = folder.url.appending(path: "plain")
        try body.write(to: file)
        for client in [cached, disk] { _ = try await Self.get(client, url) }
    }

    func hit(_ count: Int) async throws -> Measurement {
        try await Measurement.of(calls: count) { for _ in 0..<count { _ = try await Self.get(cached, url) } }
    }

    func loopback(_ count: Int) async throws -> Measurement {
        try await Measurement.of(calls: count) { for _ in 0..<count { _ = try await Self.get(plain, url) } }
    }

    func diskHit(_ count: Int) async throws -> Measurement {
        try await Measurement.of(calls: count) {
            for _ in 0..<count {
                let size = try await Self.get(disk, url)
                guard size == Self.size else { throw UnexpectedResponse("\(size) bytes") }
            }
        }
    }

    /// Opens, reads and closes a file of the same size, into new memory each time.
    func plainRead(_ count: Int) async throws -> Measurement {
        let path = file.path(percentEncoded: false)
        return try await Measurement.of(calls: count) {
            for _ in 0..<count {
                let descriptor = open(path, O_RDONLY)
                guard descriptor >= 0 else { throw BenchError("The file cannot be opened.") }
                defer { close(descriptor) }
                var data = Data(count: Self.size)
                let size = data.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
                guard size == Self.size, data.last != nil else { throw BenchError("The file cannot be read.") }
            }
        }
    }

    private static func get(_ client: HTTPClient, _ url: URL) async throws -> Int {
        let options = CallOptions(delivery: .buffered(upTo: 64 << 20))
        let response = try await client.send(HTTPRequest(.get, url), options: options)
        guard response.status == .ok else { throw UnexpectedResponse("status \(response.status.code)") }
        return response.body.buffered?.count ?? -1
    }
}
