import Foundation
import NetKitTesting

@testable import NetKit

/// Faults in requests.
extension SpoiltTransport {
    static let requests: [SpoiltTransport] = [
        changing("invents a media type", refusedBy: ["request-body.no-content-type"]) { request in
            if request.body != nil, !request.headers.contains("Content-Type") {
                request.headers.add("Content-Type", "application/x-www-form-urlencoded")
            }
        },
        changing("says who asks", refusedBy: ["request-head.nothing-added"]) { $0.headers.add("Referer", "http://x/") },
        changing("sorts fields", refusedBy: ["request-head.order", "request-head.repeated"]) { request in
            request.headers = HTTPHeaders(request.headers.fields.sorted { $0.name < $1.name })
        },
        changing("joins fields of a name", refusedBy: ["request-head.repeated"]) { request in
            for name in request.headers.map(\.name) {
                request.headers[name] = request.headers.values(of: name).joined(separator: ", ")
            }
        },
        changing(
            "drops fields without a value",
            refusedBy: ["request-head.empty-value", "request-head.blank-value"]
        ) { request in
            request.headers = HTTPHeaders(request.headers.filter { !$0.value.allSatisfy(\.isWhitespace) })
        },
        changing("writes names of fields its own way", refusedBy: ["request-head.name-case"]) { request in
            request.headers = HTTPHeaders(request.headers.map { .init($0.name.capitalized, $0.value) })
        },
        changing("adds its own name to the caller's", refusedBy: ["request-head.own-values"]) { request in
            if request.headers.contains("User-Agent") { request.headers.add("User-Agent", "transport/1") }
        },
        changing("decodes targets", refusedBy: ["target.encoded-slash"]) { request in
            let text = request.url.absoluteString.replacing("%2F", with: "/")
            request.url = URL(string: text) ?? request.url
        },
        changing("resolves dots", refusedBy: ["target.dot-segments"]) { request in
            request.url = request.url.standardized
        },
        changing("drops an empty query", refusedBy: ["target.empty-query"]) { request in
            let text = request.url.absoluteString
            if text.hasSuffix("?") { request.url = URL(string: String(text.dropLast())) ?? request.url }
        },
        changing("sends no body with GET", refusedBy: ["request-body.get"]) { if $0.method == .get { $0.body = nil } },
        changing("writes methods large", refusedBy: ["method.custom-lowercase", "method.lowercase"]) { request in
            request.method = HTTPMethod(request.method.rawValue.uppercased())
        },
        changing("sends the whole file for a part of it", refusedBy: ["request-body.file-part"]) { request in
            if let file = request.body?.fileRange, file.offset > 0 {
                request.body = .data(try Data(contentsOf: URL(fileURLWithPath: file.path)))
            }
        },
        changing("collects streams before it sends", refusedBy: ["back-pressure.upload"]) { request in
            if let body = request.body {
                var collected = Data()
                for try await chunk in body.chunks { collected.append(chunk) }
                request.body = .data(collected)
            }
        },
        changing(
            "passes a broken stream for a whole one",
            refusedBy: [
                "request-body.failing-stream", "request-body.short-stream", "back-pressure.upload",
            ]
        ) { request in
            if let body = request.body {
                var collected = Data()
                do { for try await chunk in body.chunks { collected.append(chunk) } } catch {}
                request.body = .data(collected)
            }
        },
    ]

    /// Returns a transport that changes requests.
    private static func changing(
        _ summary: String,
        refusedBy cases: Set<String>,
        _ change: @escaping @Sendable (inout HTTPRequest) async throws -> Void
    ) -> SpoiltTransport {
        SpoiltTransport(summary, refusedBy: cases) { right in
            { request, context in
                var request = request
                try await change(&request)
                return try await right.send(request, context: context)
            }
        }
    }
}
