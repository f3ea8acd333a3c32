import Foundation
import NetKit

/// A test of one promise of a transport.
public struct ConformanceCase: Sendable, Identifiable, CustomStringConvertible {
    /// The name, such as `truncated.content-length`, which does not change between versions.
    public let name: String
    /// The expected behavior, in a sentence.
    public let promise: String
    /// The area of the case.
    public let area: Area
    /// Whether a faulty transport may crash or block its process, so that the case should run in a child process.
    public let isRisky: Bool
    /// The time that the case may take until it counts as hung.
    public let timeLimit: Duration

    let body: @Sendable (ConformanceTrial) async throws -> Void

    init(
        _ name: String,
        _ area: Area,
        _ promise: String,
        isRisky: Bool = false,
        timeLimit: Duration = .seconds(8),
        body: @escaping @Sendable (ConformanceTrial) async throws -> Void
    ) {
        self.name = name
        self.promise = promise
        self.area = area
        self.isRisky = isRisky
        self.timeLimit = timeLimit
        self.body = body
    }

    /// The name.
    public var id: String { name }

    /// The name.
    public var description: String { name }
}

extension ConformanceCase {
    /// An area of cases.
    public struct Area: Hashable, Sendable, CustomStringConvertible {
        /// The name of the area.
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// The area of methods.
        public static let methods = Area("methods")
        /// The area of request bodies, which arrive completely and framed once.
        public static let requestBodies = Area("request bodies")
        /// The area of request header fields and targets, which arrive unchanged.
        public static let requestHeads = Area("request heads")
        /// The area of buffered and streamed delivery.
        public static let delivery = Area("delivery")
        /// The area of response header fields, which are delivered as received.
        public static let responseHeads = Area("response heads")
        /// The area of status codes, with and without a body.
        public static let statuses = Area("statuses")
        /// The area of response bodies in every framing.
        public static let responseBodies = Area("response bodies")
        /// The area of responses that end early or are not HTTP.
        public static let brokenResponses = Area("broken responses")
        /// The area of redirects, challenges and caching, which a transport leaves to the pipeline.
        public static let policies = Area("policies")
        /// The area of timeouts.
        public static let limits = Area("limits")
        /// The area of cancelled calls and abandoned bodies.
        public static let cancellation = Area("cancellation")
        /// The area of connection reuse.
        public static let connections = Area("connections")
        /// The area of outcomes of failed requests.
        public static let outcomes = Area("outcomes")
    }
}

/// The payloads of cases.
extension ConformanceCase {
    /// Returns the bytes 0, 1, … 250, repeated.
    ///
    /// The period is not a power of two, so that shifted bytes are detected.
    static func pattern(_ count: Int) -> Data {
        let unit = Data(0...250)
        var data = Data(capacity: count + unit.count)
        while data.count < count { data.append(unit) }
        return data.prefix(count)
    }

    /// Returns data in pieces of a size.
    static func pieces(of data: Data, _ size: Int) -> [Data] {
        stride(from: 0, to: data.count, by: size).map { Data(data.dropFirst($0).prefix(size)) }
    }

    /// Returns a sequence of chunks.
    static func chunks(_ chunks: [Data]) -> AsyncStream<Data> {
        AsyncStream { continuation in
            for chunk in chunks { continuation.yield(chunk) }
            continuation.finish()
        }
    }

    /// Returns a sequence of chunks that then fails.
    static func failingChunks(_ chunks: [Data]) -> AsyncThrowingStream<Data, any Error> {
        AsyncThrowingStream { continuation in
            for chunk in chunks { continuation.yield(chunk) }
            continuation.finish(throwing: StreamFailure())
        }
    }

    /// The error of `failingChunks`.
    struct StreamFailure: Error {}
}
