import Foundation

/// A part of a file as a body.
final class DiskBodySource: ResponseBodySource {
    private static let chunkSize: Int64 = 64 << 10

    private struct State: ~Copyable {
        var position: Int64
        var sum: FastChecksum?
        var reason: (any Error)?
    }

    private let file: OpenFile
    private let fileSystem: any CacheFileSystem
    private let end: Int64
    private let checksum: UInt64?
    private let onDamage: @Sendable () -> Void
    private let state: Locked<State>

    /// Creates the body of a part, which is compared with its checksum if that is known.
    ///
    /// `onDamage` is called before the error of a damaged body is thrown.
    init(
        _ file: OpenFile,
        _ fileSystem: any CacheFileSystem,
        part: Range<Int64>,
        checksum: UInt64?,
        onDamage: @escaping @Sendable () -> Void
    ) {
        (self.file, self.onDamage) = (file, onDamage)
        self.fileSystem = fileSystem
        self.checksum = checksum
        end = part.upperBound
        state = Locked(State(position: part.lowerBound, sum: checksum == nil ? nil : FastChecksum()))
    }

    var trailers: HTTPHeaders? { nil }

    func next() async throws -> Data? {
        let (position, reason) = state.withLock { ($0.position, $0.reason) }
        if let reason { throw reason }
        guard position < end else { return nil }
        let count = Int(min(Self.chunkSize, end - position))
        guard let bytes = try fileSystem.readExactly(count, of: file, at: position) else { throw damage() }
        let isRight = state.withLock { state in
            state.position += Int64(bytes.count)
            bytes.withUnsafeBytes { state.sum?.add($0) }
            return state.position < end || state.sum?.value == checksum
        }
        guard isRight else { throw damage() }
        return bytes
    }

    func cancel(_ reason: any Error) {
        state.withLock { $0.reason = $0.reason ?? reason }
    }

    /// Reports that the file was changed after the response began, and returns the error.
    private func damage() -> NetKitError {
        onDamage()
        let message = "A stored body was damaged while it was being read. Send the call again."
        return NetKitError(.file, message, outcome: .notSent)
    }
}
