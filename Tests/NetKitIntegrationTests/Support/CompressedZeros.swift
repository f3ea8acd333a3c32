import Foundation

@testable import NetKitTesting

/// A gzip body of 100 KB that decodes to 64 MiB, mostly of zeros.
///
/// Other data between the zeros keeps it below the ratio at which a body is refused.
enum CompressedZeros {
    private static let (parts, zeros, other) = (4, 16 << 20, 8 << 10)

    static let size = parts * (zeros + other)

    static let gzip: Data = {
        let part = Gzip.stored(patternedData(other), .whole) + Gzip.zeros(zeros)
        return (0..<parts).reduce(into: Data()) { gzip, _ in gzip += part }
    }()
}
