public import Foundation

/// How values become JSON and back; a preset is a value that can be named once and shared.
public struct JSONCoder: Sendable {
    private let makeEncoder: @Sendable () -> JSONEncoder
    private let makeDecoder: @Sendable () -> JSONDecoder

    /// Makes a coder from functions that set up a fresh encoder and decoder.
    public init(
        encoder: @escaping @Sendable () -> JSONEncoder,
        decoder: @escaping @Sendable () -> JSONDecoder
    ) {
        makeEncoder = encoder
        makeDecoder = decoder
    }

    /// Dates as ISO 8601, keys as they are.
    public static let standard = JSONCoder {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        return encoder
    } decoder: {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }

    /// A fresh encoder.
    public var encoder: JSONEncoder { makeEncoder() }

    /// A fresh decoder.
    public var decoder: JSONDecoder { makeDecoder() }
}
