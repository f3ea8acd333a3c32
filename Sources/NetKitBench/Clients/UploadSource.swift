import Foundation

/// The source of a large body that is sent.
enum UploadSource: Sendable {
    case file(URL, size: Int)
    case data(Data)
}
