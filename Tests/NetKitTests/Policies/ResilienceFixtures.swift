import Foundation
import NetKit
import NetKitTesting
import Testing

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
        testing(transport, InterceptorList(interceptors), time: time, timeouts: timeouts)
    }

    /// A client with a mock, a test's clock and a list of interceptors.
    static func testing(
        _ transport: some Transport,
        _ interceptors: InterceptorList,
        time: TestClock? = nil,
        timeouts: Timeouts = .none
    ) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.timeouts = timeouts
        if let time { configuration.clock = time.clock }
        return HTTPClient(
            baseURL: exampleBase,
            transport: transport,
            interceptors: interceptors,
            configuration: configuration
        )
    }
}

/// Waits until a condition holds that no event reports, and fails the test after a minute or, if the machine is busy,
/// later.
///
/// It sleeps after a few rounds, because hundreds of tests wait at the same time.
func waitUntil(_ condition: () -> Bool, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    var rounds = 0
    while !condition() {
        try Task.checkCancellation()
        try #require(rounds < 30_000, "The condition does not hold.", sourceLocation: sourceLocation)
        if rounds < 20 { await Task.yield() } else { try await Task.sleep(for: .milliseconds(2)) }
        rounds += 1
    }
}
