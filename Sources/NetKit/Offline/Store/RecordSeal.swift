public import Foundation

/// Encrypts what a store writes and decrypts what it reads: requests with their bodies, and what the server answered.
///
/// Name, lane, coalescing key, identity and times of an entry stay readable, because the queue needs them.
///
/// ```swift
/// RecordSeal(seal: { try box.encrypt($0) }, open: { try box.decrypt($0) })
/// ```
public struct RecordSeal: Sendable {
    let seal: @Sendable (Data) throws -> Data
    let open: @Sendable (Data) throws -> Data

    /// Creates a seal from two functions, of which one undoes the other.
    public init(seal: @escaping @Sendable (Data) throws -> Data, open: @escaping @Sendable (Data) throws -> Data) {
        self.seal = seal
        self.open = open
    }
}
