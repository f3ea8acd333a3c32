import Foundation

/// Where a large body that is sent comes from.
enum UploadSource: Sendable {
    case file(URL, size: Int)
    case data(Data)
}
