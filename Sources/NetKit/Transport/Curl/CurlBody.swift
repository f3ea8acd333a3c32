import Foundation

/// The body of a buffered answer while it arrives.
///
/// Where it is small, its memory comes from the caller, who also frees it: memory that one thread takes and another one
/// gives back makes them wait for each other.
struct CurlBody: Sendable {
    /// As much as the threads' own stores of memory have.
    private static let smallSize = 960

    private var small: [UInt8] = []
    private var large = Data()

    /// How many bytes have come.
    var count: Int { small.count + large.count }

    /// Takes memory for a small body, on the caller's thread.
    mutating func prepare() {
        small.reserveCapacity(Self.smallSize)
    }

    /// Makes room for so many bytes.
    mutating func reserveCapacity(_ size: Int) {
        if size > Self.smallSize { large.reserveCapacity(size) }
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        if large.isEmpty, bytes.count <= Self.smallSize - small.count {
            small.append(contentsOf: bytes)
            return
        }
        if !small.isEmpty {
            large.append(contentsOf: small)
            small.removeAll()
        }
        if let base = bytes.baseAddress { large.append(base.assumingMemoryBound(to: UInt8.self), count: bytes.count) }
    }

    /// What has come.
    var data: Data { large.isEmpty ? Data(small) : large }
}
