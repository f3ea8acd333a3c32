import Synchronization

/// The name of one logical call, to find it in logs and to cancel it.
public struct CallID: Hashable, Sendable, CustomStringConvertible {
    private let value: UInt64

    private static let counter = Atomic<UInt64>(0)
    private static let offset = UInt64.random(in: .min ... .max)

    /// Creates an identifier that no other call of this process has.
    public init() {
        // A counter, scattered by a mixing function that maps no two numbers to one: unique, and not guessable in logs.
        var mixed = Self.counter.wrappingAdd(1, ordering: .relaxed).newValue &+ Self.offset
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        value = mixed ^ (mixed >> 31)
    }

    /// The identifier as sixteen hexadecimal digits.
    public var description: String { value.hexadecimal }
}
