import Foundation
import NetKit
import NetKitTesting

/// The misbehaving server of the tour.
enum TourServer {
    static func start() throws -> MockServer {
        let server = try MockServer()
        server.on(.get, "/articles/*") { request in
            .jsonText(#"{"id": \#(request.path.split(separator: "/").last ?? "0"), "title": "The Last Packet"}"#)
        }
        let busy = ServerReply.text("not now", status: .serviceUnavailable)
        server.on(.get, "/flaky", busy, busy, .text("third time lucky"))
        server.on(.get, "/inbox") { request in
            guard request.headers["Authorization"] == "Bearer fresh" else {
                return .challenge(#"Bearer error="invalid_token""#)
            }
            return .jsonText(#"{"unread": 3}"#)
        }
        server.on(.post, "/token", .jsonText(#"{"token": "fresh"}"#).pausing(.milliseconds(80)))
        server.on(.post, "/photos") { request in .jsonText(#"{"bytes": \#(request.body.count)}"#) }
        server.on(
            .get,
            "/export",
            handler: export(Data((0..<6_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) }))
        )
        server.on(.get, "/prices", .jsonText(#"{"tea": 3.2}"#).header("Cache-Control", "max-age=60"))
        server.on(.get, "/stock") { request in
            let isKnown = request.headers["If-None-Match"] == "\"s1\""
            let reply = isKnown ? ServerReply.status(.notModified) : .jsonText(#"{"tea": 17}"#)
            return reply.header("ETag", "\"s1\"").header("Cache-Control", "no-cache")
        }
        return server
    }

    /// Returns a handler for a file whose first download breaks off in the middle and can be resumed.
    private static func export(_ all: Data) -> @Sendable (ServerRequest) -> ServerReply {
        { request in
            guard let range = request.headers["Range"], let start = Int(range.dropFirst(6).dropLast()),
                start < all.count
            else {
                return .data(all).header("ETag", "\"e1\"").header("Accept-Ranges", "bytes")
                    .closing(at: .inBody(after: all.count / 2))
            }
            return .data(all[start...], status: .partialContent).header("ETag", "\"e1\"")
                .header("Content-Range", "bytes \(start)-\(all.count - 1)/\(all.count)")
        }
    }

    /// Adds the routes after the restart: one accepts orders, and one has a note that was changed meanwhile.
    static func bringBack(_ server: MockServer) {
        server.on(.post, "/orders") { _ in .status(.created) }
        server.on(.put, "/notes/1") { request in
            guard request.headers["If-Match"] == "\"v2\"" else {
                return .jsonText(#"{"text": "milk, bread"}"#, status: .preconditionFailed).header("ETag", "\"v2\"")
            }
            return .status(.noContent)
        }
    }
}
