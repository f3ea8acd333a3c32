import Foundation
import NetKit
import NetKitTesting
import Testing

/// Tests of many bytes in chunks of random size, through pipes of several capacities, with both sides running freely.
struct BodyPipeSoakTests {
    private static let content = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ $0 >> 8) })

    private static func chunks(seed: UInt64) -> [Range<Int>] {
        var random = RandomSource.seeded(seed)
        var ranges: [Range<Int>] = []
        var start = 0
        while start < content.count {
            let end = min(content.count, start + Int.random(in: 1...4096, using: &random))
            ranges.append(start..<end)
            start = end
        }
        return ranges
    }

    private static func readAll(_ pipe: BodyPipe) async throws -> Data {
        var data = Data()
        while let chunk = try await pipe.next() { data.append(chunk) }
        return data
    }

    @Test(arguments: [1, 1000, 16_384, 1 << 20], [1, 2] as [UInt64])
    func aWriterThatWaitsLosesNothing(_ capacity: Int, _ seed: UInt64) async throws {
        let pipe = BodyPipe(maxBytes: capacity)
        let largest = Locked(0)
        let writer = Task {
            for range in Self.chunks(seed: seed) {
                try await pipe.write(Self.content[range])
                let pending = pipe.pendingByteCount
                largest.withLock { $0 = max($0, pending) }
            }
            pipe.finish()
        }
        let data = try await Self.readAll(pipe)
        try await writer.value
        #expect(data == Self.content)
        #expect(largest.withLock { $0 } <= capacity + 4096)
    }

    @Test(arguments: [1, 1000, 16_384], [3, 4] as [UInt64])
    func aCallbackThatPausesLosesNothing(_ capacity: Int, _ seed: UInt64) async throws {
        let (drained, signal) = AsyncStream.makeStream(of: Void.self)
        let pipe = BodyPipe(maxBytes: capacity) { signal.yield() }
        let writer = Task {
            var signals = drained.makeAsyncIterator()
            for range in Self.chunks(seed: seed) {
                let hasRoom = pipe.offer(Self.content[range])
                if !hasRoom { _ = await signals.next() }
            }
            pipe.finish()
        }
        let data = try await Self.readAll(pipe)
        await writer.value
        #expect(data == Self.content)
    }
}
