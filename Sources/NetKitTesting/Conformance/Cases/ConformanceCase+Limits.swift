import Foundation
import NetKit

extension ConformanceCase {
    static let limitCases: [ConformanceCase] = [
        idleCase("start", "before the response", at: .start, .unknown),
        idleCase("status-line", "in the status line", at: .inStatusLine, .unknown, .answered),
        idleCase("headers", "in the header", at: .inHeaders, .unknown, .answered),
        idleCase("body", "in a body", at: .inBody(after: 2), .answered),
        Self("limit.idle-streamed", .limits, "A streamed body that stalls ends after the idle limit.") { trial in
            trial.server.on(.get, "/", .text("hello").stalling(at: .inBody(after: 2)))
            try await trial.timesOut(after: .milliseconds(100), .idle, outcome: .answered) {
                let response = try await trial.get(delivery: .streamed, timeouts: only(idle: .milliseconds(100)))
                return try await response.body.collect(upTo: 100)
            }
        },
        Self("limit.idle-upload", .limits, "A request that is not read ends after the idle limit.") { trial in
            trial.server.onConnect(nil, .stall)
            let body = HTTPBody.data(Data(count: 48 << 20))
            try await trial.timesOut(after: .milliseconds(100), .idle, outcome: .unknown) {
                try await trial.send(HTTPRequest(.post, "/", body: body), timeouts: only(idle: .milliseconds(100)))
            }
        },
        slowCase("body", "A body", at: .inBody(after: 0), .inBody(after: 1), .inBody(after: 3)),
        slowCase("head", "A head", at: .inStatusLine, .inHeaders, .inBody(after: 0)),
        Self("limit.idle-reader", .limits, "A slow reader does not make a connection idle.") { trial in
            trial.server.on(.get, "/", .data(pattern(3_000_000)))
            try await trial.atBestOfThree {
                let response = try await trial.get(delivery: .streamed, timeouts: only(idle: .milliseconds(200)))
                var chunks = response.body.makeAsyncIterator()
                var count = try await chunks.next()?.count ?? 0
                try await trial.pause(.milliseconds(500))
                while let chunk = try await chunks.next() { count += chunk.count }
                try expect("bytes", count, is: 3_000_000)
            }
        },
        Self(
            "limit.idle-queue",
            .limits,
            "Waiting for a free connection does not count as idle.",
            timeLimit: .seconds(20)
        ) { trial in
            trial.server.on(.get, "/", ServerReply.text("hello").pausing(.milliseconds(100)))
            try await trial.atBestOfThree {
                try await concurrently(48) { _ in
                    try await expect(trial.get(timeouts: only(idle: .milliseconds(400))), 200, "hello")
                }
            }
        },
        Self("limit.first-byte", .limits, "A response that does not begin ends after the first-byte limit.") { trial in
            trial.server.on(.get, "/", .text("hello").stalling(at: .start))
            try await trial.timesOut(after: .milliseconds(100), .firstByte, outcome: .unknown) {
                try await trial.get(timeouts: only(firstByte: .milliseconds(100)))
            }
        },
        Self("limit.first-byte-met", .limits, "The first-byte limit ends with the first byte.") { trial in
            trial.server.on(.get, "/", ServerReply.text("hello").pausing(.milliseconds(500), at: .inBody(after: 2)))
            try await trial.atBestOfThree {
                try await expect(trial.get(timeouts: only(firstByte: .milliseconds(250))), 200, "hello")
            }
        },
        Self("limit.first-byte-upload", .limits, "The first-byte limit begins at the end of the request.") { trial in
            trial.server.on(.post, "/", .text("hello"))
            try await trial.atBestOfThree {
                let body = HTTPBody.stream(slowChunks(5, every: .milliseconds(100)))
                let limits = only(firstByte: .milliseconds(250))
                try await expect(trial.send(HTTPRequest(.post, "/", body: body), timeouts: limits), 200, "hello")
            }
        },
        Self("limit.connect", .limits, "A connection attempt ends after the connect limit.") { trial in
            let port = try FullPort()
            try await trial.timesOut(after: .milliseconds(100), .connect, outcome: .notSent) {
                try await trial.send(port.request, timeouts: only(connect: .milliseconds(100)))
            }
        },
        Self("limit.connect-met", .limits, "The connect limit ends with the connection.") { trial in
            trial.server.on(.get, "/", ServerReply.text("hello").pausing(.milliseconds(500)))
            try await trial.atBestOfThree {
                try await expect(trial.get(timeouts: only(connect: .milliseconds(250))), 200, "hello")
            }
        },
        Self("limit.attempt", .limits, "The attempt limit ends an exchange at any time.", isRisky: true) { trial in
            for moment in [ServerReply.Moment.start, .inHeaders, .inBody(after: 2)] {
                trial.server.on(.get, "/", .text("hello").stalling(at: moment))
                try await trial.timesOut(after: .milliseconds(50), .attempt, outcome: .notSent, .unknown, .answered) {
                    try await trial.get(timeouts: only(attempt: .milliseconds(50)))
                }
                await trial.server.waitForOpenConnections(0)
            }
        },
        Self("limit.total", .limits, "The call's deadline ends an exchange.") { trial in
            trial.server.on(.get, "/", .text("hello").stalling(at: .start))
            let options = CallOptions(timeout: .milliseconds(50))
            try await trial.timesOut(after: .milliseconds(50), .deadline, outcome: .notSent, .unknown) {
                try await trial.client.send(HTTPRequest(.get, "/"), options: options)
            }
        },
        Self("limit.total-streamed", .limits, "The call's deadline ends a streamed body.") { trial in
            trial.server.on(.get, "/", .text("hello").stalling(at: .inBody(after: 2)))
            let options = CallOptions(timeout: .milliseconds(100), delivery: .streamed)
            try await trial.timesOut(after: .milliseconds(100), .deadline, outcome: .notSent, .unknown, .answered) {
                let response = try await trial.client.send(HTTPRequest(.get, "/"), options: options)
                return try await response.body.collect(upTo: 100)
            }
        },
        Self("limit.none", .limits, "Without limits, an exchange may take any time.") { trial in
            let reply = ServerReply.text("hello").pausing(.milliseconds(200), at: .inBody(after: 2))
            try await expect(trial.receive(reply, timeouts: .none), 200, "hello")
        },
        Self("limit.huge", .limits, "A limit beyond the range of the clock is no limit.", isRisky: true) { trial in
            let forever = Duration.seconds(Int64.max)
            let limits = Timeouts(connect: forever, firstByte: forever, idle: forever, attempt: forever, total: forever)
            for delivery in [ConformanceTrial.ample, .streamed] {
                try await expect(trial.receive(.text("hello"), delivery: delivery, timeouts: limits), 200, "hello")
            }
        },
        Self("limit.frees", .limits, "An exchange that is ended by a limit frees its connection.", isRisky: true) {
            trial in
            trial.server.on(.get, "/", .text("hello").stalling(at: .inHeaders))
            for limits in [only(idle: .milliseconds(50)), only(attempt: .milliseconds(50))] {
                try await trial.failure(.timeout) { try await trial.get(timeouts: limits) }
            }
            await trial.server.waitForOpenConnections(0)
        },
    ]

    /// Returns timeouts with a single limit.
    static func only(
        connect: Duration? = nil,
        firstByte: Duration? = nil,
        idle: Duration? = nil,
        attempt: Duration? = nil
    ) -> Timeouts {
        Timeouts(connect: connect, firstByte: firstByte, idle: idle, attempt: attempt)
    }

    private static func idleCase(
        _ name: String,
        _ place: String,
        at moment: ServerReply.Moment,
        _ outcome: NetKitError.Outcome,
        _ alternative: NetKitError.Outcome? = nil
    ) -> ConformanceCase {
        let promise = "An exchange that stands still \(place) ends after the idle limit, even one below a second."
        // A transport that gives up in the middle of a head may end the process.
        let isRisky = moment == .inHeaders || moment == .inStatusLine
        return Self("limit.idle-\(name)", .limits, promise, isRisky: isRisky) { trial in
            trial.server.on(.get, "/", .text("hello").stalling(at: moment))
            let limit = Duration.milliseconds(100)
            try await trial.timesOut(after: limit, .idle, outcome: outcome, alternative ?? outcome) {
                try await trial.get(timeouts: only(idle: limit))
            }
            // The server ends with the case, and must not meet an exchange that is still being abandoned.
            await trial.server.waitForOpenConnections(0)
        }
    }

    private static func slowCase(_ name: String, _ what: String, at moments: ServerReply.Moment...) -> ConformanceCase {
        Self(
            "limit.idle-slow-\(name)",
            .limits,
            "\(what) that comes slowly is not idle.",
            isRisky: name == "head"
        ) { trial in
            let reply = moments.reduce(ServerReply.text("hello")) { $0.pausing(.milliseconds(200), at: $1) }
            try await trial.atBestOfThree {
                try await expect(trial.receive(reply, timeouts: only(idle: .milliseconds(400))), 200, "hello")
            }
        }
    }

    /// Returns a request body that arrives a few bytes at a time.
    private static func slowChunks(_ count: Int, every interval: Duration) -> AsyncThrowingStream<Data, any Error> {
        let sent = Locked(0)
        return AsyncThrowingStream {
            let number = sent.withLock { sent in
                sent += 1
                return sent
            }
            guard number <= count else { return nil }
            try await NetKitClock.system.sleep(for: interval)
            return hello
        }
    }
}
