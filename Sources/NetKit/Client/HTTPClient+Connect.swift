public import Foundation

extension HTTPClient {
    /// Opens connections to a server ahead of the calls that will use them.
    ///
    /// ```swift
    /// try await client.connect()                  // when the service starts
    /// try await client.connect(to: partner, count: 4)
    /// ```
    /// A connection begins with an `OPTIONS` request, because no transport can open one without a request. The request passes
    /// no interceptor and carries no credential, and every response counts as a success. The transport keeps the connections
    /// as long as any other idle ones. Over HTTP/2, one connection serves all calls.
    ///
    /// - Parameters:
    ///   - url: The server; `nil` for that of the base URL.
    ///   - count: The number of connections.
    ///   - timeout: The time that opening them may take.
    /// - Throws: `NetKitError` if a connection cannot be opened, or `CancellationError`.
    @concurrent
    public nonisolated func connect(
        to url: URL? = nil,
        count: Int = 1,
        timeout: Duration = .seconds(10)
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<max(0, count) {
                group.addTask { try await self.openConnection(to: url, timeout) }
            }
            try await group.waitForAll()
        }
    }

    private nonisolated func openConnection(to url: URL?, _ timeout: Duration) async throws {
        var request = if let url { HTTPRequest(.options, url) } else { HTTPRequest(.options, "/") }
        request.requiresAuth = false
        var options = CallOptions(timeout: timeout, delivery: .streamed)
        options.onlyConnects = true
        let response = try await send(request, options: options)
        // A connection is free again once the response has been read.
        _ = try await response.body.prefix(upTo: Self.connectBodyLimit)
    }

    /// The length of a response above which its connection is closed instead of kept.
    private static var connectBodyLimit: Int { 64 << 10 }
}
