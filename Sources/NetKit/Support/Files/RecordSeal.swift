public import Foundation

/// The encryption of stored data: requests with their bodies, responses of servers, and tokens.
///
/// The name, lane, coalescing key, identity and times of an entry of a queue stay readable, because the queue needs
/// them.
///
/// ```swift
/// RecordSeal(seal: { try box.encrypt($0) }, open: { try box.decrypt($0) })
/// ```
public struct RecordSeal: Sendable {
    package let seal: @Sendable (Data) throws -> Data
    package let open: @Sendable (Data) throws -> Data

    /// Creates a seal from a function that encrypts and one that decrypts.
    public init(seal: @escaping @Sendable (Data) throws -> Data, open: @escaping @Sendable (Data) throws -> Data) {
        self.seal = seal
        self.open = open
    }
}
