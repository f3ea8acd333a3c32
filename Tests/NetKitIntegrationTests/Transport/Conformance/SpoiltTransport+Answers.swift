import Foundation
import NetKit
import NetKitTesting

/// Faults in responses.
extension SpoiltTransport {
    static let responses: [SpoiltTransport] = [
        changing("keeps one of several fields of a name", refusedBy: ["response-head.repeated"]) { response in
            for name in response.headers.map(\.name) { response.headers[name] = response.headers[name] }
        },
        changing("joins fields of a name", refusedBy: ["response-head.repeated"]) { response in
            for name in response.headers.map(\.name) {
                response.headers[name] = response.headers.values(of: name).joined(separator: ", ")
            }
        },
        changing("sorts the fields of responses", refusedBy: ["response-head.order"]) { response in
            response.headers = HTTPHeaders(response.headers.fields.sorted { $0.name < $1.name })
        },
        changing("writes names of fields small", refusedBy: ["response-head.name-case"]) { response in
            response.headers = HTTPHeaders(response.headers.map { .init($0.name.lowercased(), $0.value) })
        },
        changing("drops fields without a value", refusedBy: ["response-head.empty-value"]) { response in
            response.headers = HTTPHeaders(response.headers.filter { !$0.value.isEmpty })
        },
        changing("refuses a status that nobody registered", refusedBy: ["status.999"]) { response in
            guard response.status.code < 600 else { throw URLError(.badServerResponse) }
        },
        changing("has no word for a body it does not know", refusedBy: ["gzip.unknown-coding"]) { response in
            if response.headers["Content-Encoding"] != "gzip" { response.headers.remove("Content-Encoding") }
        },
        changing("drops trailers", refusedBy: ["trailers.delivered"]) { response in
            if let bytes = response.body.buffered { response.body = ResponseBody(bytes) }
        },
        changing("fails on trailers", refusedBy: ["trailers.delivered", "trailers.harmless"]) { response in
            guard response.headers["Trailer"] == nil else { throw URLError(.badServerResponse) }
        },
        SpoiltTransport(
            "takes a short body for whole",
            refusedBy: [
                "truncated.content-length", "truncated.chunked", "truncated.last-chunk", "truncated.reset",
                "truncated.bad-chunk", "broken.not-used-again",
            ]
        ) { right in
            { request, context in
                let streamed = RequestContext.test(delivery: .streamed, timeouts: context.timeouts)
                var response = try await right.send(request, context: streamed).ending { _ in nil }
                guard let limit = context.delivery.maxBufferedBytes else { return response }
                response.body = ResponseBody(try await response.body.collect(upTo: limit), trailers: response.trailers)
                return response
            }
        },
        SpoiltTransport(
            "says it takes gzip, and does not decode it",
            refusedBy: ["gzip.whole", "gzip.corrupt", "gzip.cut-short", "gzip.bomb"]
        ) { right in
            { request, context in
                var request = request
                request.headers["Accept-Encoding"] = "gzip"
                return try await right.send(request, context: context)
            }
        },
        SpoiltTransport(
            "hands out a buffered response too early",
            refusedBy: ["delivery.buffered"]
        ) { right in
            { request, context in
                guard !context.delivery.isStreamed else { return try await right.send(request, context: context) }
                return try await right.send(request, context: .test(delivery: .streamed, timeouts: context.timeouts))
            }
        },
        changing(
            "hands out a streamed response too late",
            refusedBy: [
                "delivery.streamed", "delivery.streamed-chunked", "delivery.streamed-head", "back-pressure.download",
            ]
        ) { response in
            response.body = ResponseBody(try await response.body.collect(upTo: 1 << 30))
        },
        SpoiltTransport(
            "has no bound for buffered bodies",
            refusedBy: [
                "delivery.too-large-declared", "delivery.too-large-counted", "delivery.too-large-until-close",
                "delivery.too-large-endless", "delivery.too-large-stops",
            ]
        ) { right in
            { request, context in
                guard let limit = context.delivery.maxBufferedBytes else {
                    return try await right.send(request, context: context)
                }
                // The pipeline enforces the bound in the end. Here the body ends differently than in a correct
                // transport.
                do {
                    return try await right.send(request, context: context)
                } catch NetKitError.Code.bodyTooLarge {
                    return HTTPResponse(status: 200, body: ResponseBody(Data(count: limit)))
                }
            }
        },
        SpoiltTransport("reads a streamed body ahead of its reader", refusedBy: ["back-pressure.download"]) { right in
            { request, context in
                let response = try await right.send(request, context: context)
                return context.delivery.isStreamed ? response.ending { $0 } : response
            }
        },
    ]

    /// Returns a transport that changes responses.
    private static func changing(
        _ summary: String,
        refusedBy cases: Set<String>,
        _ change: @escaping @Sendable (inout HTTPResponse) async throws -> Void
    ) -> SpoiltTransport {
        SpoiltTransport(summary, refusedBy: cases) { right in
            { request, context in
                var response = try await right.send(request, context: context)
                try await change(&response)
                return response
            }
        }
    }
}

extension HTTPResponse {
    /// Returns the response with a body that is read ahead without bound, and whose error becomes another one, or a
    /// good end.
    fileprivate func ending(_ error: @escaping @Sendable (any Error) -> (any Error)?) -> HTTPResponse {
        let pipe = BodyPipe(maxBytes: .max)
        var response = self
        let body = self.body
        Task {
            do {
                for try await chunk in body {
                    pipe.offer(chunk)
                    if pipe.isCancelled { return }
                }
                pipe.finish(trailers: body.trailers ?? HTTPHeaders())
            } catch let failure {
                if let failure = error(failure) { pipe.fail(failure) } else { pipe.finish() }
            }
        }
        response.body = ResponseBody(length: nil, source: pipe)
        return response
    }
}
