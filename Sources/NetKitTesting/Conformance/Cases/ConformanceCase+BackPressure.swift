import Foundation
import NetKit

extension ConformanceCase {
    static let backPressureCases: [ConformanceCase] = [
        Self(
            "back-pressure.download",
            .delivery,
            "A slow reader slows the server down, and gets every byte.",
            timeLimit: .seconds(20)
        ) { trial in
            let size = 64 << 20
            trial.server.on(.get, "/", .data(Data(count: size)))
            let response = try await trial.get(delivery: .streamed)
            var chunks = response.body.makeAsyncIterator()
            var received = try await chunks.next()?.count ?? 0
            let sent = try await trial.settled { trial.server.sentByteCount }
            try expect("at most \(aheadBound) bytes ahead of the reader", sent < aheadBound, seen: "\(sent) bytes")
            while let chunk = try await chunks.next() { received += chunk.count }
            try expect("bytes", received, is: size)
        },
        Self(
            "back-pressure.upload",
            .requestBodies,
            "A request stream is read only as fast as the server receives it.",
            timeLimit: .seconds(20)
        ) { trial in
            trial.server.onConnect(nil, .stall)
            trial.server.on(.post, "/") { .text("\($0.body.count)") }
            let pulled = Locked(0)
            let size = 64 << 20
            let body = HTTPBody.stream(
                AsyncStream {
                    pulled.withLock { count in
                        guard count < size else { return Data?.none }
                        count += 1 << 18
                        return Data(count: 1 << 18)
                    }
                }
            )
            async let response = trial.send(HTTPRequest(.post, "/", body: body))
            try await wait(for: "a connection") { trial.server.connectionCount > 0 }
            let ahead = try await trial.settled { pulled.withLock { $0 } }
            trial.server.release()
            try await expect(response, 200, "\(size)")
            try expect("at most \(aheadBound) bytes ahead of the server", ahead < aheadBound, seen: "\(ahead) bytes")
        },
    ]

    /// The number of bytes that buffers between the two ends may hold.
    ///
    /// System buffers for loopback take several megabytes.
    private static let aheadBound = 24 << 20
}

extension ConformanceTrial {
    /// Returns a count once it has stopped growing.
    fileprivate func settled(_ count: () -> Int) async throws -> Int {
        var last = -1
        var quietRounds = 0
        while quietRounds < 12 {
            let now = count()
            quietRounds = now == last && now > 0 ? quietRounds + 1 : 0
            last = now
            try await pause(.milliseconds(25))
        }
        return last
    }
}
