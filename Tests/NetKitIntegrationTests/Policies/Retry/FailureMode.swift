import Foundation
import NetKit
import NetKitTesting
import Testing

/// A way in which a request fails after it has reached the server.
struct FailureMode: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let reply: ServerReply
    /// Whether only a time limit ends it.
    let isSilent: Bool

    private init(_ name: String, _ reply: ServerReply, isSilent: Bool = false) {
        (testDescription, self.reply, self.isSilent) = (name, reply, isSilent)
    }

    static let serverError = FailureMode("500", .status(500))
    static let closedEarly = FailureMode("closed instead of a response", body.closing(at: .start))

    private static let body = ServerReply.text("a response of some length")

    static let all = [
        serverError,
        FailureMode("503 that asks to come back at once", .status(503).header("Retry-After", "0")),
        FailureMode("429 that asks to come back at once", .status(429).header("Retry-After", "0")),
        FailureMode("408", .status(408)),
        closedEarly,
        FailureMode("reset instead of a response", body.resetting(at: .start)),
        FailureMode("closed in the body", body.closing(at: .inBody(after: 5))),
        FailureMode("reset in the body", body.resetting(at: .inBody(after: 5))),
        FailureMode("a chunk that is none", .badChunk()),
        FailureMode("silence instead of a response", body.stalling(at: .start), isSilent: true),
        FailureMode("silence in the body", body.stalling(at: .inBody(after: 5)), isSilent: true),
    ]
}
