import Foundation

@testable import NetKit

extension RedirectPolicy.Decision {
    /// The request to send instead, if there is one.
    var followed: HTTPRequest? {
        if case .follow(let request) = self { request } else { nil }
    }

    /// The reason for refusing, if there is one.
    var refusal: NetKitError? {
        if case .refuse(let error) = self { error } else { nil }
    }

    var isDelivered: Bool {
        if case .deliver = self { true } else { false }
    }
}

extension RedirectPolicy {
    /// Returns the decision about a response with one Location, to a request that was not redirected before.
    func decide(
        _ request: HTTPRequest,
        status: HTTPStatus = .found,
        to location: String,
        visited: [RedirectVisit] = [],
        redaction: Redaction = .standard
    ) -> Decision {
        decide(request, status: status, headers: ["Location": location], visited: visited, redaction: redaction)
    }
}

/// Each kind of body a request can have.
enum RedirectedBody: CaseIterable, Sendable {
    case none, bytes, file, replayableStream, oneShotStream

    var body: HTTPBody? {
        switch self {
        case .none: nil
        case .bytes: .text("body")
        case .file: .file(at: URL(fileURLWithPath: "/tmp/body"), offset: 1, length: 4)
        case .replayableStream: .replayableStream(length: 4) { Self.chunks }
        case .oneShotStream: .stream(length: 4, Self.chunks)
        }
    }

    private static var chunks: AsyncThrowingStream<Data, any Error> {
        AsyncThrowingStream { continuation in
            continuation.yield(Data("bo".utf8))
            continuation.yield(Data("dy".utf8))
            continuation.finish()
        }
    }
}
