#if canImport(FoundationNetworking)
    import Foundation

    /// A request body as the input stream that FoundationNetworking reads.
    final class BodyInputStream: InputStream {
        private let source: RequestBodySource?
        private let onFailure: @Sendable (any Error) -> Void
        private var position: Int64 = 0
        private var status = Status.notOpen

        /// Creates a stream of a body; without a body, the stream fails when it is read.
        init(_ source: RequestBodySource?, onFailure: @escaping @Sendable (any Error) -> Void) {
            self.source = source
            self.onFailure = onFailure
            super.init(data: Data())
        }

        override func open() { status = .open }

        override func close() { status = .closed }

        override var streamStatus: Status { status }

        override var streamError: (any Error)? { nil }

        override var hasBytesAvailable: Bool { source.map { position < $0.length } ?? true }

        override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
            guard let source else {
                status = .error
                return -1
            }
            do {
                let room = UnsafeMutableRawBufferPointer(start: buffer, count: max(0, maxLength))
                let count = try source.read(into: room, at: position)
                position += Int64(count)
                return count
            } catch {
                status = .error
                onFailure(error)
                return -1
            }
        }

        override func getBuffer(
            _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>,
            length: UnsafeMutablePointer<Int>
        ) -> Bool { false }
    }
#endif
