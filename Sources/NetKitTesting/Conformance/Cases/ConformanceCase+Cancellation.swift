import Foundation
import NetKit

extension ConformanceCase {
    static let cancellationCases: [ConformanceCase] = [
        Self("cancel.before", .cancellation, "A call that is cancelled before it begins sends nothing.") { trial in
            trial.server.on(nil, "/**", .text("hello"))
            try await trial.cancels(when: {}) {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await trial.sendDirectly(HTTPRequest(.get, "/cancelled"))
            }
            try await expect(trial.get("/next"), 200, "hello")
            try expect("requests", trial.server.requests.map(\.path), is: ["/next"])
        },
        waitingCase("start", "before the response", at: .start),
        waitingCase("headers", "in the header", at: .inHeaders),
        waitingCase("body", "in a buffered body", at: .inBody(after: 2)),
        waitingCase("streamed", "before a streamed response", at: .start, delivery: .streamed),
        Self("cancel.reader", .cancellation, "Cancelling a reader ends the exchange and frees its connection.") {
            trial in
            trial.server.on(.get, "/", .text("hello").stalling(at: .inBody(after: 2)))
            let hasBegun = Flag()
            try await trial.cancels(when: { try await wait(for: "the first bytes") { hasBegun.isSet } }) {
                for try await _ in try await trial.get(delivery: .streamed).body { hasBegun.set() }
            }
            await trial.server.waitForOpenConnections(0)
        },
        Self("cancel.connecting", .cancellation, "Cancelling while connecting ends the exchange.") { trial in
            let port = try FullPort()
            try await trial.cancels(when: { try await trial.pause(.milliseconds(50)) }) {
                try await trial.send(port.request)
            }
        },
        Self("cancel.uploading", .cancellation, "Cancelling while the request is sent ends the exchange.") { trial in
            trial.server.onConnect(nil, .stall)
            let request = HTTPRequest(.post, "/", body: .data(Data(count: 48 << 20)))
            try await trial.cancels(when: {
                try await wait(for: "a connection") { trial.server.connectionCount > 0 }
            }) {
                try await trial.send(request)
            }
        },
        Self("cancel.after", .cancellation, "Cancelling a call that has ended has no effect.", isRisky: true) { trial in
            trial.server.on(nil, "/", .text("hello"))
            for _ in 0..<10 {
                let call = Task { try await trial.get() }
                try await expect(call.value, 200, "hello")
                call.cancel()
            }
            try await expect(trial.get(), 200, "hello")
        },
        Self("cancel.one-of-many", .cancellation, "Cancelling one call does not affect others.") { trial in
            trial.server.on(nil, "/**", .text("hello").stalling(at: .start))
            let others = (0..<3).map { _ in Task { try await trial.get("/others") } }
            await trial.server.waitForRequests(3)
            try await trial.cancels(when: { await trial.server.waitForRequests(4) }) { try await trial.get("/one") }
            trial.server.release()
            for other in others { try await expect(other.value, 200, "hello") }
        },
        Self(
            "cancel.race",
            .cancellation,
            "A call that is cancelled at any time ends with a response or with `CancellationError`.",
            isRisky: true,
            timeLimit: .seconds(15)
        ) { trial in
            trial.server.on(nil, "/", .chunked(pieces(of: pattern(5000), 50)))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<300 {
                    if number >= 16 { try await group.next() }
                    group.addTask { try await race(trial, .microseconds(number * 10), streamed: number % 2 == 0) }
                }
                try await group.waitForAll()
            }
            let response = try await trial.get()
            try expect("the next body", try await response.body.collect(upTo: 1 << 20), is: pattern(5000))
        },
        abandoningCase("reader", "A reader that walks away") { trial in
            let response = try await trial.get(delivery: .streamed)
            for try await _ in response.body { break }
        },
        abandoningCase("unread", "A body that is not read") { trial in
            _ = try await trial.get(delivery: .streamed)
        },
        abandoningCase("discarded", "A body that is discarded") { trial in
            let response = try await trial.get(delivery: .streamed)
            response.body.discard()
        },
    ]

    private static func waitingCase(
        _ name: String,
        _ place: String,
        at moment: ServerReply.Moment,
        delivery: Delivery = ConformanceTrial.ample
    ) -> ConformanceCase {
        Self(
            "cancel.\(name)",
            .cancellation,
            "Cancelling \(place) ends the exchange at once and frees its connection.",
            // The server ends with the case, and a truncated head may trap an exchange that is still running.
            isRisky: moment == .inHeaders
        ) { trial in
            trial.server.on(.get, "/", .text("hello").stalling(at: moment))
            let isUnderWay = { @Sendable in
                await trial.server.waitForRequests(1)
                if moment != .start { try await trial.pause(.milliseconds(30)) }
            }
            try await trial.cancels(when: isUnderWay) { try await trial.get(delivery: delivery) }
            await trial.server.waitForOpenConnections(0)
        }
    }

    private static func abandoningCase(
        _ name: String,
        _ what: String,
        _ abandon: @escaping @Sendable (ConformanceTrial) async throws -> Void
    ) -> ConformanceCase {
        Self("abandon.\(name)", .cancellation, "\(what) ends the transfer.", isRisky: true) { trial in
            trial.server.on(.get, "/", .endlessBody)
            try await abandon(trial)
            await trial.server.waitForOpenConnections(0)
            trial.server.on(.get, "/", .text("next"))
            try await expect(trial.get(), 200, "next")
        }
    }

    private static func race(_ trial: ConformanceTrial, _ delay: Duration, streamed: Bool) async throws {
        let call = Task {
            let response = try await trial.get(delivery: streamed ? .streamed : ConformanceTrial.ample)
            return try await response.body.collect(upTo: 1 << 20)
        }
        try await trial.pause(delay)
        call.cancel()
        do {
            try expect("body", try await call.value, is: pattern(5000))
        } catch is CancellationError {}
    }
}
