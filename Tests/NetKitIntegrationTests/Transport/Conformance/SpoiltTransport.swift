import Foundation
import NetKit
import NetKitTesting
import Testing

/// A correct transport with one fault, and the cases that have to detect it.
struct SpoiltTransport: Transport, CustomTestStringConvertible {
    typealias Send = @Sendable (HTTPRequest, RequestContext) async throws -> HTTPResponse

    /// The fault.
    let summary: String
    /// The cases that detect it, and no others of their areas.
    let refusedBy: Set<String>
    /// Further areas to run.
    let alsoTried: Set<ConformanceCase.Area>
    private let make: @Sendable (SocketTransport) -> Send
    private let spoilt: Send

    init(
        _ summary: String,
        refusedBy: Set<String>,
        alsoTried: Set<ConformanceCase.Area> = [.methods],
        _ make: @escaping @Sendable (SocketTransport) -> Send
    ) {
        self.summary = summary
        self.refusedBy = refusedBy
        self.alsoTried = alsoTried
        self.make = make
        spoilt = make(SocketTransport())
    }

    var testDescription: String { summary }

    /// Returns the same with connections of its own.
    var fresh: SpoiltTransport {
        SpoiltTransport(summary, refusedBy: refusedBy, alsoTried: alsoTried, make)
    }

    /// Every case of the areas.
    var cases: [ConformanceCase] {
        let areas = alsoTried.union(TransportConformance.cases.filter { refusedBy.contains($0.name) }.map(\.area))
        return TransportConformance.cases.filter { areas.contains($0.area) }
    }

    func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
        try await spoilt(request, context)
    }
}
