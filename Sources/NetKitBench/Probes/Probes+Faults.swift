import Foundation
import NetKit
import NetKitTesting

/// Probes of peers' behavior.
extension Probes {
    static let faults: [Probe] = [
        Probe(
            name: "trailer",
            title: "a chunked response with a trailer field",
            arrange: { servers, _ in
                servers.main.on(nil, "/**", .chunked([Data("hello".utf8)], trailers: ["X-Checksum": "abc"]))
            },
            act: { subject, site in
                let response = try await subject.send(ProbeRequest("GET", site.url("chunked")))
                let trailers = response.trailers.map { "\($0.name): \($0.value)" }.joined(separator: ", ")
                return "\(response.words), \(trailers.isEmpty ? "no trailer" : "trailer \(trailers)")"
            }
        ),
        Probe(
            name: "cut-head",
            title: "a connection closed inside the header",
            arrange: { servers, _ in servers.main.on(nil, "/**", .text("hello").closing(at: .inHeaders)) },
            act: get
        ),
        Probe(
            name: "basic-challenge",
            title: "`401` with `WWW-Authenticate: Basic realm=\"x\"`, with a timeout of 2 s",
            arrange: { servers, _ in servers.main.on(nil, "/**", .challenge("Basic realm=\"x\"")) },
            act: { subject, site in
                var request = ProbeRequest("GET", site.url("secret"))
                request.idleLimit = .seconds(2)
                return try await subject.send(request).words
            }
        ),
        Probe(
            name: "refused-challenge",
            title: "a `401` with a body of 6 bytes whose challenge the caller refuses to answer",
            arrange: { servers, _ in
                servers.main.on(
                    nil,
                    "/**",
                    .text("go off", status: 401).header("WWW-Authenticate", "Basic realm=\"x\"")
                )
            },
            act: { subject, site in try await subject.refuseChallenge(site.url("secret")) }
        ),
        Probe(
            name: "redirect-credentials",
            title: "`302` to another origin, for a request with `Authorization` and `Cookie`",
            arrange: { servers, _ in
                servers.main.on(nil, "/**", .redirect(to: servers.other.url("/landed").absoluteString))
                servers.other.on(nil, "/**", .text("hello"))
            },
            act: { subject, site in
                var request = ProbeRequest("GET", site.url("start"))
                request.headers = [("Authorization", "Bearer secret"), ("Cookie", "session=1")]
                return try await subject.send(request).words
            },
            observe: { servers in
                guard let request = servers.other.requests.first else { return "no request at the other origin" }
                let sent = ["Authorization", "Cookie"].filter { request.headers.contains($0) }
                return "\(sent.isEmpty ? "neither" : sent.joined(separator: " and ")) at the other origin"
            }
        ),
        Probe(
            name: "redirect-307",
            title: "`307` after a POST of 5 bytes",
            arrange: { servers, _ in
                servers.main.on(nil, "/start", .redirect(to: "/landed", status: 307))
                servers.main.on(nil, "/landed", .text("hello"))
            },
            act: { subject, site in
                try await subject.send(.hello("POST", site.url("start"), [("Content-Type", "text/plain")])).words
            },
            observe: { servers in
                guard let request = servers.main.requests.first(where: { $0.path == "/landed" }) else {
                    return "no second request"
                }
                return "\(request.method) with \(request.body.count) bytes at the second place"
            }
        ),
        Probe(
            name: "redirect-refused",
            title: "a redirect with a body that the caller does not follow",
            parts: ["5 bytes", "100000 bytes"],
            arrange: { servers, part in
                let text = String(repeating: "x", count: Int(part.prefix { $0 != " " }) ?? 0)
                servers.main.on(nil, "/**", .text(text, status: 302).header("Location", "/elsewhere"))
            },
            act: { subject, site in try await subject.refuseRedirect(site.url("start")).words }
        ),
        Probe(
            name: "location",
            title: "a redirect to an odd `Location`",
            parts: [
                "(empty)", "x", "?", "?a=b", "#", "//", "///x", ":", "/a b", "/%", "//[", "//[::1", "http", "http:",
                "http://", "http:///x", "//host:port/", "//127.0.0.1:99999/", "//user@/x", "../../../x", "mailto:a@b",
                "ws://h/", "\u{E9}",
            ].map { $0 == "(empty)" ? $0 : "`\($0)`" },
            arrange: { servers, part in
                let location = part == "(empty)" ? "" : String(part.dropFirst().dropLast())
                servers.main.on(nil, "/**", .redirect(to: location), .text("hello"))
            },
            act: { subject, site in
                "\(try await subject.send(ProbeRequest("GET", site.url("start/here"))).status)"
            }
        ),
        Probe(
            name: "set-cookie",
            title: "two `Set-Cookie` fields",
            arrange: { servers, _ in
                servers.main.on(
                    nil,
                    "/**",
                    .text("hello").header("Set-Cookie", "a=1; Expires=Wed, 21 Oct 2037 07:28:00 GMT")
                        .header("Set-Cookie", "b=2")
                )
            },
            act: { subject, site in
                let values = try await subject.send(ProbeRequest("GET", site.url("login"))).values("Set-Cookie")
                let quoted = values.map { "`\($0)`" }.joined(separator: ", ")
                return "\(values.count.counting("value")): \(quoted)"
            }
        ),
        Probe(
            name: "gzip-cut",
            title: "a gzip body of 1,000 bytes cut short",
            arrange: { servers, _ in
                servers.main.on(nil, "/**", .gzip(Data(repeating: UInt8(ascii: "x"), count: 1000), .cutShort))
            },
            act: get
        ),
        Probe(
            name: "closed-while-idle",
            title: "a keep-alive connection closed by the peer between two requests",
            arrange: { servers, _ in servers.main.on(nil, "/**", .text("one").closing(at: .end), .text("two!")) },
            act: { subject, site in
                let first = await ProbeWords.outcome { try await subject.send(ProbeRequest("GET", site.url("a"))) }
                try await Task.sleep(for: .milliseconds(200))
                let second = await ProbeWords.outcome { try await subject.send(ProbeRequest("GET", site.url("b"))) }
                return "first \(first), second \(second)"
            }
        ),
        Probe(
            name: "closed-on-request",
            title:
                "a keep-alive connection closed by the peer just as the second request arrives, which has a timeout of 2 s",
            parts: ["GET", "POST"],
            repeats: 5,
            arrange: { servers, _ in servers.main.on(nil, "/**", .text("one").closingIdleConnection(), .text("two!")) },
            act: { subject, site in
                let first = await ProbeWords.outcome { try await subject.send(ProbeRequest("GET", site.url("a"))) }
                var request = ProbeRequest(site.part, site.url("b"))
                request.idleLimit = .seconds(2)
                if site.part == "POST" {
                    request.headers = [("Content-Type", "text/plain")]
                    request.body = .data(Data("hello".utf8))
                }
                let second = await ProbeWords.outcome { [request] in try await subject.send(request) }
                return "first \(first), second \(second)"
            }
        ),
        Probe(
            name: "fuzz",
            title: "100 responses of a few bytes changed at random",
            timeLimit: .seconds(3),
            parts: (1...100).map(String.init),
            isCounted: true,
            arrange: { servers, part in
                servers.main.on(nil, "/**", .raw(ResponseFuzzer(seed: 1).bytes(Int(part) ?? 0)).closing(at: .end))
            },
            act: get
        ),
        Probe(
            name: "errors",
            title: "failures, and what they are called",
            timeLimit: .seconds(20),
            parts: ["refused", "truncated", "reset", "unresolvable"],
            arrange: { servers, _ in
                servers.main.on(nil, "/truncated", .text("hello").bodyCutShort(by: 2))
                servers.main.on(nil, "/reset", .text("hello").resetting(at: .inHeaders))
            },
            act: { subject, site in
                let url: URL
                switch site.part {
                case "refused": url = site.refused
                case "unresolvable": url = URL(string: "http://nowhere.invalid/") ?? site.base
                default: url = site.url(site.part)
                }
                return try await subject.send(ProbeRequest("GET", url)).words
            }
        ),
    ]

    /// A plain GET.
    static let get: @Sendable (any ProbeSubject, ProbeSite) async throws -> String = { subject, site in
        try await subject.send(ProbeRequest("GET", site.url("hello"))).words
    }
}
