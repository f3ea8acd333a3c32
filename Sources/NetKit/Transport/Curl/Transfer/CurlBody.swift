import Foundation

/// The body of a buffered response while it arrives, and the beginning of a streamed one.
///
/// A small body is stored in memory that a handle keeps from one transfer to the next. Memory that one thread allocates
/// and another one frees would make the threads wait for each other.
struct CurlBody: Sendable {
    private static let smallSize = 16 << 10

    private var small: [UInt8] = []
    private var large = Data()

    /// The number of bytes that have arrived.
    var count: Int { small.count + large.count }

    /// Takes a handle's memory.
    mutating func take(_ room: inout CurlRoom) {
        swap(&small, &room.body)
    }

    /// Gives the memory back, and drops the bytes that have arrived.
    mutating func giveBack(_ room: inout CurlRoom) {
        small.removeAll(keepingCapacity: true)
        swap(&small, &room.body)
    }

    /// Reserves memory for a number of bytes.
    mutating func reserveCapacity(_ size: Int) {
        if size > Self.smallSize { large.reserveCapacity(size) } else { small.reserveCapacity(size) }
    }

    /// Adds bytes if the body stays small; returns `false` if it does not.
    mutating func appendIfSmall(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard large.isEmpty, bytes.count <= Self.smallSize - small.count else { return false }
        small.append(contentsOf: bytes)
        return true
    }

    /// Passes the bytes of a small body on, and drops them.
    mutating func moveSmall(to receive: (UnsafeRawBufferPointer) -> Void) {
        guard !small.isEmpty else { return }
        small.withUnsafeBytes(receive)
        small.removeAll(keepingCapacity: true)
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        if appendIfSmall(bytes) { return }
        if !small.isEmpty {
            large.append(contentsOf: small)
            small.removeAll(keepingCapacity: true)
        }
        if let base = bytes.baseAddress { large.append(base.assumingMemoryBound(to: UInt8.self), count: bytes.count) }
    }

    /// The bytes that have arrived.
    var data: Data {
        guard large.isEmpty else { return large }
        return small.withUnsafeBytes { bytes in
            bytes.baseAddress.map { Data(bytes: $0, count: bytes.count) } ?? Data()
        }
    }
}

/// Memory that a handle keeps for its transfers' responses: for the lines of the head, and for small bodies.
struct CurlRoom: Sendable {
    var lines = CurlLines()
    var body: [UInt8] = []
}
