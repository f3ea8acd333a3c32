import Foundation
import NetKitTesting

@testable import NetKit

/// Faults in the behavior of a transport.
extension SpoiltTransport {
    static let conduct: [SpoiltTransport] = [
        SpoiltTransport(
            "follows redirects",
            refusedBy: [
                "redirect.301", "redirect.302", "redirect.303", "redirect.307", "redirect.308", "redirect.other-origin",
            ]
        ) { right in
            { request, context in
                let response = try await right.send(request, context: context)
                guard let location = response.headers["Location"], (300..<400).contains(response.status.code),
                    let url = URL(string: location, relativeTo: request.url)
                else { return response }
                response.body.discard()
                return try await right.send(HTTPRequest(.get, url.absoluteURL), context: context)
            }
        },
        SpoiltTransport(
            "hangs on a Basic challenge",
            refusedBy: [
                "challenge.basic", "challenge.basic-realm", "challenge.several-in-a-line", "challenge.several-lines",
                "challenge.lower-case", "memory.credentials",
            ]
        ) { right in
            { request, context in
                let response = try await right.send(request, context: context)
                let challenges = response.headers.values(of: "WWW-Authenticate").joined(separator: " ").lowercased()
                if challenges.contains("basic") { try await NetKitClock.system.sleep(for: .seconds(3600)) }
                return response
            }
        },
        SpoiltTransport("shares cookies", refusedBy: ["memory.cookies"]) { right in
            let jar = Locked<String?>(nil)
            return { request, context in
                var request = request
                if let cookie = jar.withLock({ $0 }) { request.headers.add("Cookie", cookie) }
                let response = try await right.send(request, context: context)
                if let cookie = response.headers["Set-Cookie"] { jar.withLock { $0 = cookie } }
                return response
            }
        },
        SpoiltTransport("stores responses", refusedBy: ["memory.cache"]) { right in
            let stored = Locked<HTTPResponse?>(nil)
            return { request, context in
                if let response = stored.withLock({ $0 }) { return response }
                let response = try await right.send(request, context: context)
                guard response.headers.contains("Cache-Control"), let bytes = response.body.buffered else {
                    return response
                }
                stored.withLock { stored in
                    stored = response
                    stored?.body = ResponseBody(bytes)
                }
                return response
            }
        },
        SpoiltTransport(
            "tries again by itself",
            refusedBy: [
                "memory.retry", "outcome.reset", "outcome.closed", "outcome.answered",
            ]
        ) { right in
            { request, context in
                do {
                    return try await right.send(request, context: context)
                } catch NetKitError.Code.connectionLost {
                    return try await right.send(request, context: context)
                }
            }
        },
        SpoiltTransport(
            "ignores cancellation",
            refusedBy: [
                "cancel.before", "cancel.start", "cancel.headers", "cancel.body", "cancel.streamed",
                "cancel.connecting",
                "cancel.uploading", "cancel.one-of-many",
            ]
        ) { right in
            { request, context in try await Task { try await right.send(request, context: context) }.value }
        },
        SpoiltTransport(
            "goes on reading what nobody wants",
            refusedBy: ["abandon.reader", "abandon.unread", "abandon.discarded", "cancel.reader"]
        ) { right in
            { request, context in
                var response = try await right.send(request, context: context)
                guard context.delivery.isStreamed else { return response }
                let (pipe, body) = (BodyPipe(maxBytes: .max), response.body)
                Task {
                    do {
                        for try await chunk in body { pipe.offer(chunk) }
                        pipe.finish()
                    } catch {
                        pipe.fail(error)
                    }
                }
                response.body = ResponseBody(source: pipe)
                return response
            }
        },
        limiting(
            "ignores the idle limit",
            refusedBy: [
                "limit.idle-start", "limit.idle-status-line", "limit.idle-headers", "limit.idle-body",
                "limit.idle-streamed",
                "limit.idle-upload", "limit.frees",
            ]
        ) { $0.idle = nil },
        SpoiltTransport(
            "counts all of an exchange as idle, and waiting for its turn too",
            refusedBy: ["limit.idle-slow-body", "limit.idle-slow-head", "limit.idle-queue"],
            alsoTried: []
        ) { right in
            let line = ConformanceGate(width: 6)
            return { request, context in
                guard let idle = context.timeouts.idle else { return try await right.send(request, context: context) }
                return try await withThrowingTaskGroup(of: HTTPResponse.self) { group in
                    group.addTask {
                        try await line.pass {
                            await Task { try await right.send(request, context: context) }.cancelledWithCaller
                        }.get()
                    }
                    group.addTask {
                        try await NetKitClock.system.sleep(for: min(idle, .seconds(3600)))
                        let outcome = context.attempt.outcome
                        throw NetKitError(.timeout, "Too long.", outcome: outcome, timeoutPhase: .idle)
                    }
                    defer { group.cancelAll() }
                    guard let response = try await group.next() else { throw CancellationError() }
                    return response
                }
            }
        },
        limiting("ignores the first-byte limit", refusedBy: ["limit.first-byte"]) { $0.firstByte = nil },
        limiting("ignores the connect limit", refusedBy: ["limit.connect"]) { $0.connect = nil },
        limiting(
            "takes the idle limit for one of the first byte",
            refusedBy: [
                "limit.idle-start", "limit.idle-status-line", "limit.idle-headers", "limit.idle-body",
                "limit.idle-streamed",
                "limit.idle-upload", "limit.frees",
            ]
        ) { limits in
            limits.firstByte = limits.firstByte ?? limits.idle
            limits.idle = nil
        },
        limiting(
            "counts in whole seconds",
            refusedBy: [
                "limit.idle-start", "limit.idle-status-line", "limit.idle-headers", "limit.idle-body",
                "limit.idle-streamed",
                "limit.idle-upload",
            ]
        ) { if $0.idle != nil { $0.idle = .seconds(1) } },
        SpoiltTransport(
            "always says that nothing was sent",
            refusedBy: [
                "outcome.reset", "outcome.closed", "outcome.answered",
            ]
        ) { right in
            { request, context in
                do {
                    return try await right.send(request, context: context)
                } catch let error as NetKitError {
                    throw error.with(outcome: .notSent)
                }
            }
        },
        SpoiltTransport(
            "never says that nothing was sent",
            refusedBy: [
                "outcome.refused", "outcome.no-such-host", "outcome.limit-connecting", "outcome.no-tls",
                "outcome.address-refused",
            ]
        ) { right in
            { request, context in
                defer { context.attempt.noteSending() }
                do {
                    return try await right.send(request, context: context)
                } catch let error as NetKitError where error.outcome == .notSent {
                    throw error.with(outcome: .unknown)
                }
            }
        },
        SpoiltTransport("gives calls each other's responses", refusedBy: ["concurrency.500", "concurrency.bodies"]) {
            right in
            let running = Locked(0)
            let parked = Locked<HTTPResponse?>(nil)
            return { request, context in
                running.withLock { $0 += 1 }
                defer { running.withLock { $0 -= 1 } }
                let response = try await right.send(request, context: context)
                guard running.withLock({ $0 > 1 }) else { return response }
                return parked.withLock { parked in
                    defer { parked = response }
                    return parked
                } ?? response
            }
        },
        SpoiltTransport(
            "uses no connection twice",
            refusedBy: [
                "connection.reuse", "connection.reuse-chunked", "connection.reuse-204", "connection.reuse-304",
                "connection.reuse-error", "connection.reuse-redirect", "connection.reuse-informational",
                "connection.reuse-head", "connection.reuse-streamed", "connection.reuse-upload",
            ]
        ) { _ in
            { request, context in
                var response = try await SocketTransport().send(request, context: context)
                response.timings.reusedConnection = nil
                return response
            }
        },
        SpoiltTransport(
            "takes what lies on an idle connection for the next response",
            refusedBy: [
                "connection.extra-response", "connection.extra-partial", "connection.extra-bodiless",
                "connection.extra-chunked", "connection.extra-read-sizes", "connection.extra-informational",
                "connection.extra-newline",
            ]
        ) { _ in
            let spoilt = SocketTransport(fault: .doesNotLook)
            return { request, context in try await spoilt.send(request, context: context) }
        },
        SpoiltTransport(
            "keeps every connection, whatever is left on it",
            refusedBy: [
                "connection.abandoned", "connection.close", "connection.extra-broken-off",
                "connection.extra-response", "connection.extra-partial", "connection.extra-bodiless",
                "connection.extra-chunked", "connection.extra-read-sizes", "connection.extra-informational",
                "connection.extra-newline",
            ]
        ) { _ in
            let spoilt = SocketTransport(fault: .keepsAll)
            return { request, context in try await spoilt.send(request, context: context) }
        },
        SpoiltTransport(
            "says that a lost connection is a bad response",
            refusedBy: [
                "broken.closed-at-once", "broken.closed-in-status-line", "broken.closed-in-header",
                "broken.reset-at-once",
                "broken.reset-in-status-line", "broken.reset-in-header", "broken.closed-behind-100",
                "truncated.content-length",
                "truncated.chunked", "truncated.last-chunk", "truncated.reset", "connection.keep-alive-race",
            ],
            alsoTried: []
        ) { right in
            { request, context in
                do {
                    let response = try await right.send(request, context: context)
                    response.body.mapErrors { _ in NetKitError(.invalidResponse, "Bad.", outcome: .answered) }
                    return response
                } catch NetKitError.Code.connectionLost {
                    throw NetKitError(.invalidResponse, "Bad.", outcome: .unknown)
                }
            }
        },
    ]

    /// A transport with other limits than it was given.
    private static func limiting(
        _ summary: String,
        refusedBy cases: Set<String>,
        _ change: @escaping @Sendable (inout Timeouts) -> Void
    ) -> SpoiltTransport {
        SpoiltTransport(summary, refusedBy: cases, alsoTried: []) { right in
            { request, context in
                var timeouts = context.timeouts
                change(&timeouts)
                let own = RequestContext.test(delivery: context.delivery, timeouts: timeouts)
                return try await right.send(request, context: own)
            }
        }
    }
}

extension Task where Success: Sendable, Failure == any Error {
    /// Returns the result of the task, which is cancelled with its waiter.
    fileprivate var cancelledWithCaller: Result<Success, any Error> {
        get async {
            await withTaskCancellationHandler {
                await result
            } onCancel: {
                cancel()
            }
        }
    }
}
