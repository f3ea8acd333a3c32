import Foundation
import NetKit
import NetKitTesting

extension NetKitClock.Instant {
    static func seconds(_ seconds: Double) -> NetKitClock.Instant {
        NetKitClock.Instant(nanoseconds: Int64(seconds * 1e9))
    }
}

extension Origin {
    /// The origin of a numbered server.
    static func numbered(_ number: Int) -> Origin {
        Origin(fileOrWeb: "https://host-\(number).example.com")
    }

    private init(fileOrWeb text: String) {
        guard let url = URL(string: text), let origin = Origin(url) else { preconditionFailure("\(text) is no URL") }
        self = origin
    }
}

extension HTTPClient {
    /// A client with a mock, a test's clock and a few interceptors.
    static func testing(
        _ transport: some Transport,
        _ interceptors: any Interceptor...,
        time: TestClock? = nil,
        timeouts: Timeouts = .none
    ) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.timeouts = timeouts
        if let time { configuration.clock = time.clock }
        return HTTPClient(
            baseURL: exampleBase,
            transport: transport,
            interceptors: InterceptorList(interceptors),
            configuration: configuration
        )
    }
}

/// Waits until something has become true; for what has no event to wait for. The test's time limit ends it.
func waitUntil(_ condition: () -> Bool) async throws {
    while !condition() {
        try Task.checkCancellation()
        await Task.yield()
    }
}
