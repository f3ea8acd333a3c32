import Foundation

/// The body of a buffered response while it arrives, and the beginning of a streamed one.
///
/// A small body is stored in memory that a handle keeps from one transfer to the next. Memory that one thread allocates
/// and another one frees would make the threads wait for each other.
struct CurlBody: Sendable {
    private static let smallSize = 16 << 10

    private var small: [UInt8] = []
    private var large: CurlLargeBody?
    /// The announced number of bytes.
    private var expectedSize = 0

    /// The number of bytes that have arrived.
    var count: Int { small.count + (large?.count ?? 0) }

    /// Takes a handle's memory.
    mutating func take(_ room: inout CurlRoom) { swap(&small, &room.body) }

    /// Gives the memory back, and drops the bytes that have arrived.
    mutating func giveBack(_ room: inout CurlRoom) {
        small.removeAll(keepingCapacity: true)
        swap(&small, &room.body)
    }

    /// Notes the number of bytes that will arrive.
    mutating func expect(_ size: Int) {
        if size > Self.smallSize { expectedSize = size } else { small.reserveCapacity(size) }
    }

    /// Adds bytes if the body stays small; returns `false` if it does not.
    mutating func appendIfSmall(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard large == nil, bytes.count <= Self.smallSize - small.count else { return false }
        small.append(contentsOf: bytes)
        return true
    }

    /// Passes the bytes of a small body on, and drops them.
    mutating func moveSmall(to receive: (UnsafeRawBufferPointer) -> Void) {
        guard !small.isEmpty else { return }
        small.withUnsafeBytes(receive)
        small.removeAll(keepingCapacity: true)
    }

    /// Adds bytes; returns `false` if there is no memory for them.
    mutating func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if appendIfSmall(bytes) { return true }
        if let large { return large.append(bytes) }
        let size = small.count + bytes.count
        guard let large = CurlLargeBody(capacity: max(expectedSize, size)) ?? CurlLargeBody(capacity: size) else {
            return false
        }
        self.large = large
        defer { small.removeAll(keepingCapacity: true) }
        return small.withUnsafeBytes { large.append($0) } && large.append(bytes)
    }

    /// The bytes that have arrived.
    var data: Data {
        if let large { return large.data() }
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
