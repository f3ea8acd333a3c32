import NetKit

/// The trace of a simulation: the first events in words, and a number made of all of them.
final class SimulationJournal: Sendable {
    private static let limit = 100_000

    private struct State {
        var events: [SimulationEvent] = []
        /// FNV-1a (Fowler, Noll, Vo).
        var fingerprint: UInt64 = 0xCBF2_9CE4_8422_2325

        mutating func mix(_ byte: UInt8) {
            fingerprint = (fingerprint ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
        }
    }

    private let state = Locked(State())

    var events: [SimulationEvent] { state.withLock { $0.events } }

    var fingerprint: UInt64 { state.withLock { $0.fingerprint } }

    func add(_ text: String, at time: Duration) {
        state.withLock { state in
            var nanoseconds = UInt64(bitPattern: time.clampedNanoseconds)
            for _ in 0..<8 {
                state.mix(UInt8(truncatingIfNeeded: nanoseconds))
                nanoseconds >>= 8
            }
            for byte in text.utf8 { state.mix(byte) }
            if state.events.count < Self.limit { state.events.append(SimulationEvent(time: time, text: text)) }
        }
    }
}

/// Something that happened in a simulation, and when.
public struct SimulationEvent: Sendable, Hashable, CustomStringConvertible {
    /// How long after the beginning.
    public let time: Duration
    /// What happened.
    public let text: String

    /// Time in seconds, and what happened.
    public var description: String { "\(time.inSeconds) \(text)" }
}
