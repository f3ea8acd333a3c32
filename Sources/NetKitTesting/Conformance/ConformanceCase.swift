import Foundation
import NetKit

/// One promise that a transport makes, and how it is put to the test.
public struct ConformanceCase: Sendable, Identifiable, CustomStringConvertible {
    /// The name, which stays the same from version to version, such as `truncated.content-length`.
    public let name: String
    /// What a good transport does, in a sentence.
    public let promise: String
    /// What the case is about.
    public let area: Area
    /// Whether a bad transport may trap or block its process in this case, which therefore belongs in a child process.
    public let isRisky: Bool
    /// How long the case may take on the wall clock until it counts as hung.
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
    /// What a case is about.
    public struct Area: Hashable, Sendable, CustomStringConvertible {
        /// The name of the area.
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// Methods arrive as they are.
        public static let methods = Area("methods")
        /// What is sent along arrives whole and framed once.
        public static let requestBodies = Area("request bodies")
        /// Header fields and targets of requests arrive as they were built.
        public static let requestHeads = Area("request heads")
        /// When an answer is handed out, and how much of it.
        public static let delivery = Area("delivery")
        /// Header fields of answers are handed out as they were received.
        public static let answerHeads = Area("answer heads")
        /// Every status, with and without a body.
        public static let statuses = Area("statuses")
        /// Bodies of answers, however they are framed.
        public static let answerBodies = Area("answer bodies")
        /// Answers that end too early or are no HTTP.
        public static let brokenAnswers = Area("broken answers")
        /// Redirects and challenges are the pipeline's business.
        public static let policies = Area("policies")
        /// Limits in time.
        public static let limits = Area("limits")
        /// Cancelled calls and readers that walk away.
        public static let cancellation = Area("cancellation")
        /// Connections are used again, and never for the wrong call.
        public static let connections = Area("connections")
        /// What is known about a request that failed.
        public static let outcomes = Area("outcomes")
    }
}

/// The bytes that cases send, and the forms they come in.
extension ConformanceCase {
    /// 0, 1, … 250, and again: no power of two, so that a shift shows.
    static func pattern(_ count: Int) -> Data {
        let unit = Data(0...250)
        var data = Data(capacity: count + unit.count)
        while data.count < count { data.append(unit) }
        return data.prefix(count)
    }

    /// Data in pieces of a size.
    static func pieces(of data: Data, _ size: Int) -> [Data] {
        stride(from: 0, to: data.count, by: size).map { Data(data.dropFirst($0).prefix(size)) }
    }

    /// A sequence of chunks.
    static func chunks(_ chunks: [Data]) -> AsyncStream<Data> {
        AsyncStream { continuation in
            for chunk in chunks { continuation.yield(chunk) }
            continuation.finish()
        }
    }

    /// A sequence of chunks that fails behind them.
    static func failingChunks(_ chunks: [Data]) -> AsyncThrowingStream<Data, any Error> {
        AsyncThrowingStream { continuation in
            for chunk in chunks { continuation.yield(chunk) }
            continuation.finish(throwing: StreamFailure())
        }
    }

    /// What `failingChunks` throws.
    struct StreamFailure: Error {}
}
