import NetKit

/// The trace of a simulation, with the first events and a hash of all events.
final class SimulationJournal: Sendable {
    private static let maxEvents = 100_000

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
            if state.events.count < Self.maxEvents { state.events.append(SimulationEvent(time: time, text: text)) }
        }
    }
}

/// An event in a simulation.
public struct SimulationEvent: Sendable, Hashable, CustomStringConvertible {
    /// The simulated time since the start.
    public let time: Duration
    /// The text of the event.
    public let text: String

    /// The time in seconds and the text.
    public var description: String { "\(time.inSeconds) \(text)" }
}
