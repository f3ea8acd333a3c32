public import Foundation

/// The encoding and decoding of JSON; a preset is a value that can be named once and shared.
public struct JSONCoder: Sendable {
    private let makeEncoder: @Sendable () -> JSONEncoder
    private let makeDecoder: @Sendable () -> JSONDecoder

    /// Creates a coder from functions that set up a fresh encoder and decoder.
    public init(encoder: @escaping @Sendable () -> JSONEncoder, decoder: @escaping @Sendable () -> JSONDecoder) {
        makeEncoder = encoder
        makeDecoder = decoder
    }

    /// A coder with dates in ISO 8601, and keys as they are.
    ///
    /// Fractions of a second are read if present, but not written.
    public static let standard = JSONCoder.iso8601(fraction: false)

    /// The same as `standard`, with milliseconds in the dates it writes.
    public static let fractionalSeconds = JSONCoder.iso8601(fraction: true)

    /// The same as `standard`, with `snake_case` keys in both directions.
    public static let snakeCase = standard.withSnakeCaseKeys

    /// The same as `fractionalSeconds`, with `snake_case` keys in both directions.
    public static let snakeCaseFractionalSeconds = fractionalSeconds.withSnakeCaseKeys

    /// Returns a coder that also changes the encoder and the decoder of this one.
    public func with(
        encoder change: @escaping @Sendable (JSONEncoder) -> Void = { _ in },
        decoder changeDecoder: @escaping @Sendable (JSONDecoder) -> Void = { _ in }
    ) -> JSONCoder {
        JSONCoder {
            let encoder = makeEncoder()
            change(encoder)
            return encoder
        } decoder: {
            let decoder = makeDecoder()
            changeDecoder(decoder)
            return decoder
        }
    }

    private var withSnakeCaseKeys: JSONCoder {
        with {
            $0.keyEncodingStrategy = .convertToSnakeCase
        } decoder: {
            $0.keyDecodingStrategy = .convertFromSnakeCase
        }
    }

    /// The error of a value that is not a date in ISO 8601.
    struct InvalidDate: Error {}

    private static func iso8601(fraction: Bool) -> JSONCoder {
        JSONCoder {
            let encoder = JSONEncoder()
            encoder.dateEncodingStrategy = .custom { date, encoder in
                var container = encoder.singleValueContainer()
                try container.encode(ISO8601Date.format(date, fraction: fraction))
            }
            return encoder
        } decoder: {
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .custom { decoder in
                let container = try decoder.singleValueContainer()
                guard let date = (try? container.decode(String.self)).flatMap(ISO8601Date.parse) else {
                    throw DecodingError.dataCorrupted(
                        .init(
                            codingPath: container.codingPath,
                            debugDescription: "Not an ISO 8601 date.",
                            underlyingError: InvalidDate()
                        )
                    )
                }
                return date
            }
            return decoder
        }
    }

    /// A fresh encoder; to change a setting of the coder, use `with(encoder:decoder:)`.
    public var encoder: JSONEncoder { makeEncoder() }

    /// A fresh decoder; to change a setting of the coder, use `with(encoder:decoder:)`.
    public var decoder: JSONDecoder { makeDecoder() }
}
