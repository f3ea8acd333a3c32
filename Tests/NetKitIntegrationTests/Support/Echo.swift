import Foundation
import NetKit

/// The request as the server's `/echo` received it.
struct Echo: Decodable, Sendable {
    let method: String
    let target: String
    let headers: [[String]]
    let length: Int
    let sha256: String
    /// The first 1000 bytes of the body.
    let text: String

    func values(of name: String) -> [String] {
        headers.filter { $0.first == name.lowercased() }.compactMap(\.last)
    }
}

extension Endpoint where Response == Echo {
    static func echo(
        _ method: HTTPMethod = .post,
        headers: HTTPHeaders = HTTPHeaders(),
        body: HTTPBody? = nil
    ) -> Self {
        var endpoint = Self.post("/echo", headers: headers, body: body)
        endpoint.method = method
        return endpoint
    }
}

/// The bytes that the server's `/big` sends, defined independently: 0, 1, … 250, and again.
func patternedData(_ count: Int) -> Data {
    Data((0..<251).map { UInt8($0) }).repeated(to: count)
}

extension Data {
    fileprivate func repeated(to count: Int) -> Data {
        var data = Data(capacity: count + self.count)
        while data.count < count { data.append(self) }
        return data.prefix(count)
    }
}
