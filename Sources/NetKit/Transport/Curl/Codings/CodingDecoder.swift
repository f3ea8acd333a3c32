#if canImport(Glibc) || canImport(Musl)
    /// A decoder that removes one coding from a body, piece by piece.
    ///
    /// It belongs to one `ContentDecoder`, which stops using it once it has thrown.
    protocol CodingDecoder: AnyObject {
        /// Decodes bytes; what comes out is written to the buffer, as often as it takes, and handed on from there.
        func decode(
            _ bytes: UnsafeRawBufferPointer,
            buffer: UnsafeMutableRawBufferPointer,
            into output: (UnsafeRawBufferPointer) throws -> Void
        ) throws

        /// Throws unless the body may end here.
        func finish() throws
    }
#endif
