import Foundation
import NetKit
import Synchronization

/// Cases that compare the report of an error with the requests that the server saw.
extension ConformanceCase {
    static let outcomeCases: [ConformanceCase] = [
        Self("outcome.refused", .outcomes, "A refused connection is `.connect`, and nothing was sent.") { trial in
            try trial.server.refuseConnections()
            for delivery in [ConformanceTrial.ample, .streamed] {
                try await trial.failure(.connect, outcome: .notSent) { try await trial.get(delivery: delivery) }
            }
            try expect("requests", trial.server.requests.count, is: 0)
            try trial.server.acceptConnections()
            trial.server.on(.get, "/", .text("hello"))
            try await expect(trial.get(), 200, "hello")
        },
        Self("outcome.no-such-host", .outcomes, "A name without an address is `.dns`, and nothing was sent.") { trial in
            try await trial.failure(.dns, outcome: .notSent) {
                try await trial.send(HTTPRequest(.get, "http://nohost.invalid/"))
            }
        },
        Self("outcome.no-tls", .outcomes, "A server without TLS is `.tls`, and nothing was sent.") { trial in
            let url = RequestPath(raw: "https://127.0.0.1:\(trial.server.port)/")
            try await trial.failure(.tls, outcome: .notSent) { try await trial.send(HTTPRequest(.get, url)) }
        },
        Self(
            "outcome.address-refused",
            .outcomes,
            "A transport that knows the remote address asks the guard before it sends."
        ) { trial in
            trial.server.on(.get, "/", .text("hello"))
            let response = try await trial.get()
            guard response.timings.remoteAddress != nil else {
                throw ConformanceFailure.notPossible("the transport does not tell where it connects to")
            }
            // The pipeline asks first; a name may have another address when the transport connects.
            let askedCount = Atomic(0)
            let changing = AddressGuard(isAllowed: { _ in
                askedCount.wrappingAdd(1, ordering: .relaxed).oldValue == 0
            })
            try await trial.failure(.addressRefused, outcome: .notSent) {
                try await trial.send(HTTPRequest(.get, "/"), addressGuard: changing)
            }
            try expect("requests", trial.server.requests.count, is: 1)
        },
        unknownCase("reset", "A reset after the request", .text("hello").resetting(at: .start)),
        unknownCase("closed", "A close after the request", .text("hello").closing(at: .start)),
        Self(
            "outcome.reset-before-request",
            .outcomes,
            "A request on a connection that broke before the server read it may have been received.",
            isRisky: true
        ) { trial in
            trial.server.onConnect(nil, .reset)
            try await trial.failure(outcome: .unknown, .notSent) {
                try await trial.send(HTTPRequest(.post, "/", body: .data(pattern(1_000_000))))
            }
        },
        Self("outcome.limit", .outcomes, "A limit that ends a request in flight leaves its outcome unknown.") { trial in
            trial.server.on(.post, "/", .text("hello").stalling(at: .start))
            try await trial.atBestOfThree {
                trial.server.removeAllRequests()
                try await trial.failure(.timeout, outcome: .unknown) {
                    let request = HTTPRequest(.post, "/", body: .text("order"))
                    return try await trial.send(request, timeouts: only(attempt: .milliseconds(200)))
                }
                try expect("bodies that arrived", trial.server.requests.map(\.bodyText), is: ["order"])
            }
        },
        Self("outcome.answered", .outcomes, "A body that breaks off has the outcome `.answered`.", isRisky: true) {
            trial in
            try await trial.failure(.connectionLost, outcome: .answered) {
                try await trial.receive(.text("hello").bodyCutShort(by: 2))
            }
            try expect("requests", trial.server.requests.count, is: 1)
        },
        Self(
            "outcome.limit-connecting",
            .outcomes,
            "A limit that ends a connection attempt means that nothing was sent."
        ) { trial in
            let port = try FullPort()
            try await trial.failure(.timeout, outcome: .notSent) {
                try await trial.send(port.request, timeouts: only(attempt: .milliseconds(100)))
            }
        },
    ]

    private static func unknownCase(_ name: String, _ what: String, _ reply: ServerReply) -> ConformanceCase {
        Self("outcome.\(name)", .outcomes, "\(what) leaves the outcome unknown.", isRisky: true) { trial in
            trial.server.on(.post, "/", reply)
            try await trial.failure(.connectionLost, outcome: .unknown) {
                try await trial.send(HTTPRequest(.post, "/", body: .text("order")))
            }
            try expect("bodies that arrived", trial.server.requests.map(\.bodyText), is: ["order"])
        }
    }
}
