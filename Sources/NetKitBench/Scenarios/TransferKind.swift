/// A way to transfer a large body.
enum TransferKind: String, Codable, Sendable, CaseIterable {
    /// Received, chunk by chunk.
    case download
    /// Received as a whole in memory.
    case downloadCollect = "download-collect"
    /// Sent from a file.
    case uploadFile = "upload-file"
    /// Sent from memory.
    case uploadData = "upload-data"

    var isUpload: Bool { self == .uploadFile || self == .uploadData }

    /// Whether the whole body is in memory, so that the memory growth says nothing.
    var isInMemory: Bool { self == .downloadCollect || self == .uploadData }

    var summary: String {
        switch self {
        case .download: "100 MB in one GET, read chunk by chunk."
        case .downloadCollect: "100 MB in one GET, collected in memory."
        case .uploadFile: "100 MB from a file, in one POST."
        case .uploadData: "100 MB from memory, in one POST."
        }
    }
}
