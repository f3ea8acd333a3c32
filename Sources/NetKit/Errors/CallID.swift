import Synchronization

/// The identifier of one logical call, for logs and for cancellation.
public struct CallID: Hashable, Sendable, CustomStringConvertible {
    private let value: UInt64

    private static let counter = Atomic<UInt64>(0)
    private static let offset = UInt64.random(in: .min ... .max)

    /// Creates an identifier that is unique in this process.
    public init() {
        // A counter, scrambled by a one-to-one function, so that identifiers are unique and do not look sequential.
        var mixed = Self.counter.wrappingAdd(1, ordering: .relaxed).newValue &+ Self.offset
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        value = mixed ^ (mixed >> 31)
    }

    /// The identifier as sixteen hexadecimal digits.
    public var description: String { value.hexadecimal }
}
