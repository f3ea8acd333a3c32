import NetKit

/// The declarations of swift-service-lifecycle that the bridge uses.
enum ServiceLifecycle {
    protocol Service: Sendable {
        func run() async throws
    }

    /// Returns when the program is asked to stop.
    static func gracefulShutdown() async throws {
        for await _ in stops.stream { return }
    }

    static let stops = AsyncStream.makeStream(of: Void.self)
}

extension ServiceLifecycle {
    // GUIDE: begin
    struct NetworkService: Service {
        let client: HTTPClient
        let queue: OfflineQueue

        func run() async throws {
            try await gracefulShutdown()
            await queue.close(within: .seconds(5))
            await client.shutdown(within: .seconds(10))
        }
    }
    // GUIDE: end
}
