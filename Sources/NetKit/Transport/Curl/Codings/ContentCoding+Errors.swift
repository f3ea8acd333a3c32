#if canImport(Glibc) || canImport(Musl)
    extension ContentCoding {
        /// The error of a body that ends in the middle of its coding.
        ///
        /// Not `.connectionLost`: that a connection broke, the transport sees by the framing and says itself. Here the framing says
        /// that the body is whole, and the body says that it is not.
        func endsEarly() -> NetKitError {
            let message = "The body ends in the middle of its \(rawValue) data: the server sent only a part of it."
            return NetKitError(.invalidResponse, message, outcome: .answered)
        }

        /// The error of a body that is not what its coding says.
        func isDamaged(_ reason: String) -> NetKitError {
            let message = "The body is not valid \(rawValue) data (\(reason)), though the server calls it that."
            return NetKitError(.invalidResponse, message, outcome: .answered)
        }

        /// The error of a body that becomes far more than it was.
        func growsTooMuch(_ maximumRatio: Int) -> NetKitError {
            let message = "The body's \(rawValue) data decodes to more than \(maximumRatio) times its size."
            return NetKitError(.bodyTooLarge, message, outcome: .answered)
        }

        /// The error of a library that does not start to decode.
        func cannotStart() -> NetKitError {
            let message = "The library that decodes \(rawValue) cannot start: it has no memory, or is another version."
            return NetKitError(.unsupported, message, outcome: .answered)
        }
    }
#endif
