import Foundation
import NetKit

extension ConformanceCase {
    static let deliveryCases: [ConformanceCase] = [
        Self(
            "delivery.buffered",
            .delivery,
            "A buffered response is delivered when its whole body has arrived."
        ) { trial in
            let isReleased = Flag()
            trial.server.on(.get, "/", .text("hello").stalling(at: .inBody(after: 2)))
            async let response = { (try await trial.sendDirectly(HTTPRequest(.get, "/")), isReleased.isSet) }()
            await trial.server.waitForRequests(1)
            try await trial.pause(.milliseconds(100))
            isReleased.set()
            trial.server.release()
            let (delivered, wasReleased) = try await response
            try expect("the response after the last byte", wasReleased, seen: "a response while bytes are missing")
            try await expect(delivered, 200, "hello")
        },
        streamedCase("streamed", .text("hello").stalling(at: .inBody(after: 2)), first: "he"),
        streamedCase(
            "streamed-chunked",
            ServerReply.chunked([Data("he".utf8), Data("llo".utf8)]).stalling(at: .inBody(after: 7)),
            first: "he"
        ),
        Self(
            "delivery.streamed-head",
            .delivery,
            "A streamed response is delivered before the first byte of its body has arrived."
        ) { trial in
            trial.server.on(.get, "/", .text("hello").stalling(at: .inBody(after: 0)))
            let response = try await trial.sendDirectly(HTTPRequest(.get, "/"), delivery: .streamed)
            trial.server.release()
            try await expect(response, 200, "hello")
        },
        Self("delivery.length", .delivery, "The length of a body is the declared one, or unknown.") { trial in
            let replies: [(ServerReply, [Int64?])] = [
                (.text("hello"), [5, nil]), (.chunked([hello]), [5, nil]), (.untilClose(hello), [5, nil]),
                (.status(200), [0, nil]),
            ]
            for (reply, lengths) in replies {
                trial.server.on(.get, "/", reply)
                let response = try await trial.get(delivery: .streamed)
                let length = response.body.length
                try expect("the true length", lengths.contains(length), seen: "\(String(describing: length))")
                response.body.discard()
            }
        },
        Self("delivery.exact-bound", .delivery, "A body of exactly the limit is not too large.") { trial in
            try await expect(trial.receive(.text("hello"), delivery: .buffered(upTo: 5)), 200, "hello")
            try await expect(trial.receive(.status(200), delivery: .buffered(upTo: 0)), 200, "")
        },
        tooLargeCase("declared", .data(pattern(2000))),
        tooLargeCase("counted", .chunked(pieces(of: pattern(2000), 500))),
        tooLargeCase("until-close", .untilClose(pattern(2000))),
        tooLargeCase("endless", .endlessBody),
        Self("delivery.too-large-stops", .delivery, "A body that is too large is not received to its end.") { trial in
            try await trial.failure(.bodyTooLarge) {
                try await trial.receive(.endlessBody, delivery: .buffered(upTo: 999))
            }
            await trial.server.waitForOpenConnections(0)
        },
        largeCase("buffered", ServerReply.data(pattern(10_000_000)), ConformanceTrial.ample),
        largeCase("streamed", .data(pattern(10_000_000)), .streamed),
        largeCase("streamed-chunked", .chunked(pieces(of: pattern(10_000_000), 70_000)), .streamed),
    ]

    private static func streamedCase(_ name: String, _ reply: ServerReply, first: String) -> ConformanceCase {
        Self("delivery.\(name)", .delivery, "A streamed body is readable as it arrives.") { trial in
            trial.server.on(.get, "/", reply)
            let response = try await trial.sendDirectly(HTTPRequest(.get, "/"), delivery: .streamed)
            var chunks = response.body.makeAsyncIterator()
            var received = Data()
            while received.count < first.utf8.count, let chunk = try await chunks.next() { received.append(chunk) }
            try expect("the bytes sent so far", received, is: Data(first.utf8))
            trial.server.release()
            while let chunk = try await chunks.next() { received.append(chunk) }
            try expect("body", received, is: hello)
        }
    }

    private static func tooLargeCase(_ name: String, _ reply: ServerReply) -> ConformanceCase {
        Self("delivery.too-large-\(name)", .delivery, "A body over the limit is `.bodyTooLarge`.") { trial in
            try await trial.failure(.bodyTooLarge, outcome: .answered) {
                try await trial.receive(reply, delivery: .buffered(upTo: 1999))
            }
        }
    }

    private static func largeCase(_ name: String, _ reply: ServerReply, _ delivery: Delivery) -> ConformanceCase {
        Self("delivery.large-\(name)", .delivery, "10 MB arrive completely and in order.") { trial in
            let response = try await trial.receive(reply, delivery: delivery)
            let body = try await response.body.collect(upTo: 20_000_000)
            try expect("the bytes that were sent", body == pattern(10_000_000), seen: "\(body.count) bytes, or others")
        }
    }
}
