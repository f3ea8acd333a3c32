import Foundation
import NetKit

/// A client whose behavior is probed.
///
/// To add one, write the conformance and add it to `ProbeSubjects.all`.
protocol ProbeSubject: Sendable {
    /// Sends a request and collects the response.
    func send(_ request: ProbeRequest) async throws -> ProbeResponse

    /// Receives a large response with a pause after the first chunk, and returns the number of bytes.
    func readSlowly(_ url: URL, pause: Duration) async throws -> Int

    /// Receives a response, suspends and resumes the task meanwhile, and returns the number of bytes.
    func suspendAndResume(_ url: URL) async throws -> Int

    /// Sends a GET, and follows no redirect.
    func refuseRedirect(_ url: URL) async throws -> ProbeResponse

    /// Sends a GET, and refuses to answer challenges.
    func refuseChallenge(_ url: URL) async throws -> String

    /// Sends a GET with a time limit for the whole call.
    func get(_ url: URL, wholeLimit: Duration) async throws -> ProbeResponse
}

/// A request in neutral terms.
struct ProbeRequest: Sendable {
    enum Body: Sendable {
        case data(Data)
        case file(URL)
        case stream(Data)
    }

    let method: String
    let url: URL
    var headers: [(name: String, value: String)] = []
    var body: Body?
    /// The time limit for a call without progress.
    var idleLimit: Duration?

    init(_ method: String, _ url: URL) {
        self.method = method
        self.url = url
    }

    /// Returns a request with a body of 5 bytes, described only by the given header fields.
    static func hello(_ method: String, _ url: URL, _ headers: [(name: String, value: String)] = []) -> ProbeRequest {
        var request = ProbeRequest(method, url)
        request.headers = headers
        request.body = .data(Data("hello".utf8))
        return request
    }
}

/// A response in neutral terms.
struct ProbeResponse: Sendable {
    var status: Int
    var byteCount: Int
    /// A closure that returns the values of a field, separately if the subject can do that.
    var values: @Sendable (_ name: String) -> [String] = { _ in [] }
    var trailers: [(name: String, value: String)] = []

    var words: String { "\(status) with \(NumberText.text(Double(byteCount))) bytes" }
}

/// The error of a subject without a feature.
struct NotOffered: Error {
    let text: String

    init(_ text: String = "not offered") {
        self.text = text
    }
}

/// All subjects, in the order of the table's columns.
enum ProbeSubjects {
    typealias Subject = (name: String, make: @Sendable () throws -> any ProbeSubject)

    static let all = overFoundation + overCurl

    private static let overFoundation: [Subject] = [
        ("URLSession", { BareSubject() }),
        ("NetKit over URLSession", { NetKitSubject(URLSessionTransport()) }),
    ]

    #if os(Linux)
        private static let overCurl: [Subject] = [("NetKit", { NetKitSubject(try CurlTransport()) })]
    #else
        private static let overCurl: [Subject] = []
    #endif

    static func named(_ name: String) throws -> any ProbeSubject {
        guard let subject = all.first(where: { $0.name == name }) else {
            throw BenchError("There is no subject \(name).")
        }
        return try subject.make()
    }
}
