import Foundation
import NetKit

/// One whose behaviour is probed; to add one, write the conformance and add it to `ProbeSubjects.all`.
protocol ProbeSubject: Sendable {
    /// Sends a request and collects the response.
    func send(_ request: ProbeRequest) async throws -> ProbeResponse

    /// Receives a large response, standing still for a while after the first chunk, and gives the number of bytes.
    func readSlowly(_ url: URL, pause: Duration) async throws -> Int

    /// Receives a response, suspending and resuming the task meanwhile, and gives the number of bytes.
    func suspendAndResume(_ url: URL) async throws -> Int

    /// Sends a GET and follows no redirect.
    func refuseRedirect(_ url: URL) async throws -> ProbeResponse

    /// Sends a GET and refuses to answer challenges.
    func refuseChallenge(_ url: URL) async throws -> String

    /// Sends a GET with a limit for the whole of it.
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
    /// For how long nothing may move.
    var idleLimit: Duration?

    init(_ method: String, _ url: URL) {
        self.method = method
        self.url = url
    }

    /// One with a text of 5 bytes as its body, and nothing said about that but in the fields given.
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
    /// The values of a field as they can be told apart.
    var values: @Sendable (_ name: String) -> [String] = { _ in [] }
    var trailers: [(name: String, value: String)] = []

    var words: String { "\(status) with \(NumberText.text(Double(byteCount))) bytes" }
}

/// Says that a subject has no such thing.
struct NotOffered: Error {
    let text: String

    init(_ text: String = "not offered") {
        self.text = text
    }
}

/// The subjects there are, in the order of the table's columns.
enum ProbeSubjects {
    static let all: [(name: String, make: @Sendable () -> any ProbeSubject)] = [
        ("URLSession", { BareSubject() }),
        ("NetKit over URLSession", { NetKitSubject(URLSessionTransport()) }),
    ]

    static func named(_ name: String) throws -> any ProbeSubject {
        guard let subject = all.first(where: { $0.name == name }) else {
            throw BenchError("There is no subject \(name).")
        }
        return subject.make()
    }
}
