import Foundation
import NetKit

/// Redirects, challenges, cookies and caching belong to the pipeline. A transport delivers responses as received.
extension ConformanceCase {
    static let redirectCases: [ConformanceCase] =
        [301, 302, 303, 307, 308].map { code in
            redirectCase("\(code)", HTTPStatus(code), "/elsewhere")
        } + [redirectCase("other-origin", 302, "http://nohost.invalid/"), redirectCase("no-location", 302, nil)]

    private static func redirectCase(_ name: String, _ status: HTTPStatus, _ location: String?) -> ConformanceCase {
        Self("redirect.\(name)", .policies, "A redirect is delivered with its body, and not followed.") { trial in
            trial.server.on(nil, "/elsewhere", .text("followed"))
            let reply = ServerReply.text("moved", status: status)
            trial.server.on(nil, "/", location.map { reply.header("Location", $0) } ?? reply)
            for (method, delivery) in [(HTTPMethod.get, ConformanceTrial.ample), (.post, .streamed)] {
                let body = method == .post ? HTTPBody.text("sent") : nil
                let response = try await trial.send(HTTPRequest(method, "/", body: body), delivery: delivery)
                try expect("Location", response.headers.values(of: "Location"), is: location.map { [$0] } ?? [])
                try await expect(response, status, "moved")
            }
            try expect("targets", trial.server.requests.map(\.target), is: ["/", "/"])
        }
    }

    static let challengeCases: [ConformanceCase] = [
        challengeCase("basic", #"Basic"#),
        challengeCase("basic-realm", #"Basic realm="x", charset="UTF-8""#),
        challengeCase("bearer", #"Bearer"#),
        challengeCase("bearer-error", #"Bearer realm="x", error="invalid_token", error_description="it, is = old""#),
        challengeCase("digest", #"Digest realm="x", qop="auth", nonce="7ypf", algorithm=SHA-256"#),
        challengeCase("negotiate", #"Negotiate"#),
        challengeCase("ntlm", #"NTLM"#),
        challengeCase("unknown", #"Nonsense a="b""#),
        challengeCase("several-in-a-line", #"Basic realm="x", Bearer realm="y", Digest realm="z", nonce="1""#),
        challengeCase("several-lines", #"Negotiate"#, #"Basic realm="x""#, #"Bearer"#),
        challengeCase("empty", ""),
        challengeCase("garbage", #"=,;"\ realm"#),
        challengeCase("lower-case", #"basic REALM=x"#),
        challengeCase("none"),
        challengeCase("proxy", status: 407, #"Basic realm="x""#),
    ]

    private static func challengeCase(_ name: String, status: HTTPStatus = 401, _ challenges: String...)
        -> ConformanceCase
    {
        Self(
            "challenge.\(name)",
            .policies,
            "A challenge is delivered with its body, and without another attempt.",
            isRisky: true
        ) { trial in
            let field = status == 407 ? "Proxy-Authenticate" : "WWW-Authenticate"
            trial.server.on(nil, "/", challenges.reduce(.text("who?", status: status)) { $0.header(field, $1) })
            let credential: HTTPHeaders = ["Authorization": "Basic dTpw"]
            for (headers, delivery) in [
                (HTTPHeaders(), ConformanceTrial.ample), (HTTPHeaders(), .streamed),
                (credential, ConformanceTrial.ample),
            ] {
                let response = try await trial.send(HTTPRequest(.get, "/", headers: headers), delivery: delivery)
                try await expect(response, status, "who?")
            }
            let sent = trial.server.requests.map { $0.headers.values(of: "Authorization") }
            try expect("credentials sent", sent, is: [[], [], ["Basic dTpw"]])
        }
    }

    static let memoryCases: [ConformanceCase] = [
        Self("memory.cookies", .policies, "Cookies are neither stored nor sent again.") { trial in
            trial.server.on(nil, "/**", ServerReply.text("hello").header("Set-Cookie", "a=1; Path=/"))
            for _ in 0..<2 { try await expect(trial.get("/page"), 200, "hello") }
            let sent = trial.server.requests.flatMap { $0.headers.values(of: "Cookie") }
            try expect("cookies sent", sent, is: [])
        },
        Self("memory.cache", .policies, "Responses are not stored: every request reaches the server.") { trial in
            let reply = ServerReply.text("old").header("Cache-Control", "max-age=3600").header("ETag", "\"1\"")
            trial.server.on(.get, "/", reply, .text("new"))
            try await expect(trial.get(), 200, "old")
            try await expect(trial.get(), 200, "new")
            let conditions = trial.server.requests.flatMap { $0.headers.values(of: "If-None-Match") }
            try expect("conditions sent", conditions, is: [])
        },
        Self("memory.credentials", .policies, "Credentials of one request are not sent with another.") { trial in
            trial.server.on(.get, "/", .text("hello"), .challenge(#"Basic realm="x""#))
            _ = try await trial.send(HTTPRequest(.get, "/", headers: ["Authorization": "Basic dTpw"]))
            try await expect(trial.get(), 401, "")
            let sent = trial.server.requests.map { $0.headers.values(of: "Authorization") }
            try expect("credentials sent", sent, is: [["Basic dTpw"], []])
        },
        Self("memory.retry", .policies, "A failure is reported, and not retried.", isRisky: true) { trial in
            trial.server.on(nil, "/", .text("hello").resetting(at: .start), .text("again"))
            try await trial.failure(.connectionLost) {
                try await trial.send(HTTPRequest(.post, "/", body: .text("order")))
            }
            try expect("requests", trial.server.requests.count, is: 1)
        },
        Self("memory.unavailable", .policies, "503 with Retry-After is delivered at once.") { trial in
            let reply = ServerReply.text("later", status: 503).header("Retry-After", "0")
            try await expect(trial.receive(reply), 503, "later")
            try expect("requests", trial.server.requests.count, is: 1)
        },
    ]
}
