import Foundation

/// The bytes of a large body in one block of memory, which grows as they arrive.
///
/// Once a few megabytes have arrived, the kernel is asked for huge pages. A body of 100 MB then causes some fifty page
/// faults, where it would cause 24,000.
///
/// `@unchecked Sendable` without a lock: the block has one owner at a time, which is the transfer while the body
/// arrives, and then the data that was made of it.
final class CurlLargeBody: @unchecked Sendable {
    /// The size above which huge pages are requested, so a short body takes none.
    private static let hugeSize = 4 << 20
    /// The unused memory up to which a block is not shrunk at the end.
    private static let spareSize = 256 << 10

    private var start: UnsafeMutableRawPointer
    private var capacity: Int
    private(set) var count = 0
    private var hasHugePages = false

    /// Creates an empty block; returns `nil` if there is no memory for it.
    init?(capacity: Int) {
        guard let start = malloc(max(1, capacity)) else { return nil }
        (self.start, self.capacity) = (start, max(1, capacity))
    }

    deinit { free(start) }

    /// Adds bytes; returns `false` if there is no memory for them.
    func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let base = bytes.baseAddress else { return true }
        guard bytes.count <= capacity - count || grow(by: bytes.count) else { return false }
        (start + count).copyMemory(from: base, byteCount: bytes.count)
        count += bytes.count
        if count >= Self.hugeSize, !hasHugePages { askForHugePages() }
        return true
    }

    private func grow(by size: Int) -> Bool {
        let (needed, isTooLarge) = count.addingReportingOverflow(size)
        guard !isTooLarge, resize(to: max(needed, capacity.multipliedReportingOverflow(by: 2).partialValue)) else {
            return false
        }
        hasHugePages = false
        return true
    }

    private func resize(to size: Int) -> Bool {
        guard let moved = realloc(start, size) else { return false }
        (start, capacity) = (moved, size)
        return true
    }

    /// Asks for huge pages after the bytes that have arrived; a kernel without them ignores it.
    private func askForHugePages() {
        hasHugePages = true
        #if os(Linux)
            let page = UInt(getpagesize())
            let first = (UInt(bitPattern: start) + UInt(count) + page - 1) / page * page
            let end = (UInt(bitPattern: start) + UInt(capacity)) / page * page
            if first < end { _ = madvise(UnsafeMutableRawPointer(bitPattern: first), Int(end - first), MADV_HUGEPAGE) }
        #endif
    }

    /// Returns the bytes as data that keeps the block; no bytes may be added after that.
    func data() -> Data {
        if capacity - count > Self.spareSize { _ = resize(to: max(1, count)) }
        return Data(
            bytesNoCopy: start,
            count: count,
            deallocator: .custom { [self] _, _ in withExtendedLifetime(self) {} }
        )
    }
}
