import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of a user and a password in a URL, which the libraries below the transports would send as a credential.
@Suite(.needsTheMachine)
struct UserInfoWireTests {
    @Test(arguments: WireTransport.allCases, ["user:secret", "user"])
    func aUserAndAPasswordInTheURLAreNotSent(_ wire: WireTransport, _ userInfo: String) async throws {
        let server = try MockServer()
        server.on(.get, "/open", .text("ok"))
        server.on(.get, "/closed", .challenge(#"Basic realm="x""#))
        let client = HTTPClient(transport: try wire.make(), interceptors: [])
        for (path, status) in [("/open", 200), ("/closed", 401)] as [(String, HTTPStatus)] {
            let url = try #require(URL(string: "http://\(userInfo)@127.0.0.1:\(server.port)\(path)"))
            #expect(try await client.send(HTTPRequest(.get, url)).status == status)
        }
        #expect(server.requests.map(\.target) == ["/open", "/closed"])
        #expect(server.requests.map { $0.headers.values(of: "Authorization") } == [[], []])
    }
}
