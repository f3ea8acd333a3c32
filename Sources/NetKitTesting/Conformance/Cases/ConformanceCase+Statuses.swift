import Foundation
import NetKit

extension ConformanceCase {
    static let statusCases: [ConformanceCase] =
        [200, 201, 299, 404, 500, 599, 999].map { code in
            Self("status.\(code)", .statuses, "\(code) is delivered with its body.") { trial in
                try await expect(trial.receive(.text("body", status: HTTPStatus(code))), HTTPStatus(code), "body")
            }
        } + [
            bodylessCase("204", "204 has no body, and the connection goes on.", .status(204), 204),
            bodylessCase("304", "304 has no body, and the connection goes on.", .status(304), 304),
            bodylessCase(
                "304-length",
                "The length of a 304 announces no body.",
                ServerReply.status(304).header("Content-Length", "5"),
                304
            ),
            bodylessCase("empty", "An empty body is one, and the connection goes on.", .status(200), 200),
            bodylessCase(
                "head",
                "The length of a response to HEAD does not announce a body.",
                .text("hello"),
                200,
                method: .head
            ),
            bodylessCase(
                "head-chunked",
                "The coding of a response to HEAD does not announce a body.",
                .chunked([Data("hello".utf8)]),
                200,
                method: .head
            ),
            Self("status.head-length", .statuses, "HEAD gives the length that GET would give.") { trial in
                trial.server.on(nil, "/", .text("hello"))
                let response = try await trial.send(HTTPRequest(.head, "/"))
                try expect("Content-Length", response.headers.values(of: "Content-Length"), is: ["5"])
            },
            informationalCase("100", ServerReply.text("body").continue100()),
            informationalCase("103", ServerReply.text("body").informational(103, ["Link": "</a>; rel=preload"])),
            informationalCase("several", ServerReply.text("body").continue100().informational(103).informational(102)),
            Self("status.no-reason", .statuses, "A status line may lack a reason phrase.") { trial in
                try await expect(trial.receive(.text("body").statusLine("HTTP/1.1 200 ")), 200, "body")
                try await expect(trial.receive(.text("body").statusLine("HTTP/1.1 200")), 200, "body")
            },
            Self("status.http10", .statuses, "A response in HTTP/1.0 is accepted.") { trial in
                let reply = ServerReply.untilClose(Data("body".utf8)).statusLine("HTTP/1.0 200 OK")
                try await expect(trial.receive(reply), 200, "body")
            },
        ]

    /// Returns a case for a response without a body; the next response shows whether a part of it was left unread.
    private static func bodylessCase(
        _ name: String,
        _ promise: String,
        _ reply: ServerReply,
        _ status: HTTPStatus,
        method: HTTPMethod = .get
    ) -> ConformanceCase {
        Self("status.\(name)", .statuses, promise) { trial in
            trial.server.on(nil, "/", reply)
            trial.server.on(nil, "/next", .text("next"))
            for delivery in [ConformanceTrial.ample, .streamed] {
                try await expect(trial.send(HTTPRequest(method, "/"), delivery: delivery), status, "")
                try await expect(trial.get("/next"), 200, "next")
            }
        }
    }

    private static func informationalCase(_ name: String, _ reply: ServerReply) -> ConformanceCase {
        Self(
            "status.informational-\(name)",
            .statuses,
            "An informational response is not the final response."
        ) { trial in
            let response = try await trial.receive(reply)
            try expect("Content-Length", response.headers.values(of: "Content-Length"), is: ["4"])
            try await expect(response, 200, "body")
        }
    }
}
