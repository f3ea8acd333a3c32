public import Foundation

/// The encryption of a store, for requests with their bodies and for responses of servers.
///
/// The name, lane, coalescing key, identity and times of an entry stay readable, because the queue needs them.
///
/// ```swift
/// RecordSeal(seal: { try box.encrypt($0) }, open: { try box.decrypt($0) })
/// ```
public struct RecordSeal: Sendable {
    let seal: @Sendable (Data) throws -> Data
    let open: @Sendable (Data) throws -> Data

    /// Creates a seal from a function that encrypts and one that decrypts.
    public init(seal: @escaping @Sendable (Data) throws -> Data, open: @escaping @Sendable (Data) throws -> Data) {
        self.seal = seal
        self.open = open
    }
}
