/// A file beside the journal, with its length and checksum.
struct KeptFile: Sendable, Equatable {
    let name: String
    /// The length and the checksum; `nil` for a file of the user, and in journals of version 1.
    let length: Int64?
    let checksum: UInt32?
}

/// The files with the large parts of an entry.
struct KeptFiles: Sendable, Equatable {
    var body: KeptFile?
    /// The version that the change is based on.
    var base: KeptFile?
    /// The details of a dead letter or a conflict.
    var detail: KeptFile?

    var isEmpty: Bool { self == KeptFiles() }
}

/// The damage of a stored request, or of a file with a part of it; its entry can never be sent as it was made.
///
/// As the `cause` of an error from `OfflineStore.load`, it makes a dead letter of the entry.
package struct KeptFileDamage: Error {
    package let message: String

    package init(message: String) { self.message = message }
}
