import Foundation
import NetKit
import NetKitTesting

/// Probes of callers' behavior.
extension Probes {
    static let requests: [Probe] = [
        Probe(
            name: "header-name",
            title: "a header name with CR LF in it",
            act: { subject, site in
                var request = ProbeRequest("GET", site.url("hello"))
                request.headers = [("X-A: 1\r\nX-Injected", "2")]
                return try await subject.send(request).words
            },
            observe: { servers in servers.fields("X-Injected") }
        ),
        Probe(
            name: "header-value",
            title: "an `Authorization` value with CR, LF or NUL in it",
            parts: ["CR LF", "NUL"],
            act: { subject, site in
                var request = ProbeRequest("GET", site.url("hello"))
                request.headers = [("Authorization", site.part == "NUL" ? "a\0b" : "a\r\nX-Injected: 2")]
                return try await subject.send(request).words
            },
            observe: { servers in servers.fields("Authorization", "X-Injected") }
        ),
        Probe(
            name: "method",
            title: "a method with CR LF and a whole request in it",
            act: { subject, site in
                let smuggled = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\nGET"
                let first = await ProbeWords.outcome {
                    try await subject.send(ProbeRequest(smuggled, site.url("first")))
                }
                let second = await ProbeWords.outcome {
                    try await subject.send(ProbeRequest("GET", site.url("second")))
                }
                return "first \(first), second \(second)"
            },
            observe: { servers in
                let paths = servers.main.requests.map(\.path).joined(separator: ", ")
                return paths.isEmpty ? "no request" : "requests for \(paths)"
            }
        ),
        Probe(
            name: "post-type",
            title: "a POST without a content type",
            act: { subject, site in
                try await subject.send(.hello("POST", site.url("hello"))).words
            },
            observe: { servers in servers.fields("Content-Type") }
        ),
        Probe(
            name: "get-body",
            title: "a GET with a body of 5 bytes",
            act: { subject, site in
                try await subject.send(.hello("GET", site.url("hello"), [("Content-Type", "text/plain")])).words
            },
            observe: { servers in
                servers.main.requests.first.map { "a body of \($0.body.count) bytes" } ?? "no request"
            }
        ),
        Probe(
            name: "wrong-length",
            title: "`Content-Length: 2` set by the caller on a body of 5 bytes",
            act: { subject, site in
                try await subject.send(
                    .hello("POST", site.url("hello"), [("Content-Type", "text/plain"), ("Content-Length", "2")])
                ).words
            },
            observe: { servers in servers.fields("Content-Length") }
        ),
        Probe(
            name: "stream-length",
            title: "a body stream of 5 bytes, and `Content-Length: 5` set by the caller",
            arrange: { servers, _ in servers.main.on(nil, "/**", .text("hello").after(.headers)) },
            act: { subject, site in
                var request = ProbeRequest("POST", site.url("hello"))
                request.headers = [("Content-Type", "text/plain"), ("Content-Length", "5")]
                request.body = .stream(Data("hello".utf8))
                return try await subject.send(request).words
            },
            observe: { servers in servers.fields("Content-Length", "Transfer-Encoding") }
        ),
        Probe(
            name: "cancelling",
            title: "2,000 tasks that await a response, cancelled at random moments",
            timeLimit: .seconds(20),
            arrange: { servers, _ in
                servers.main.on(nil, "/**", .text("hello").pausing(.milliseconds(2)))
            },
            act: { subject, site in
                var random = RandomSource.seeded(1)
                var endings: [String] = []
                for index in 1...2000 {
                    let task = Task { try await subject.send(ProbeRequest("GET", site.url("hello"))).words }
                    let delay = Duration.microseconds(Int64(random.next() % 4000))
                    try await Task.sleep(for: delay, tolerance: .zero)
                    ProbeJob.note("in cancellation \(index)")
                    task.cancel()
                    do {
                        endings.append(try await task.value)
                    } catch {
                        endings.append(ErrorText.short(error))
                    }
                }
                return "all ended: \(ProbeWords.counted(endings))"
            }
        ),
        Probe(
            name: "suspending",
            title: "`suspend()` and `resume()` in a download of 200 MB",
            timeLimit: .seconds(30),
            arrange: { servers, _ in servers.main.on(nil, "/**", .data(Data(count: 209_715_200))) },
            act: { subject, site in
                let count = try await subject.suspendAndResume(site.url("large"))
                return "\(NumberText.text(Double(count))) bytes delivered of 209,715,200"
            }
        ),
    ]
}
