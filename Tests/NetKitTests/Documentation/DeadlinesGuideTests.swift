import Foundation
import NetKit
import NetKitTestSupport
import Testing

/// The examples of the page on deadlines, compiled and run.
@Suite(.needsTheMachine)
struct DeadlinesGuideTests {
    @Test func bothFormsWork() async throws {
        let deadlines = Notebook<Bool>()
        let transport = MockTransport { _, context in
            deadlines.add(context.deadline != nil)
            return HTTPResponse(status: .ok, body: ResponseBody(Data(#"{"id":42,"name":"Ada"}"#.utf8)))
        }
        let client = HTTPClient(baseURL: exampleBase, transport: transport)
        // GUIDE: begin
        let user = try await withDeadline(.seconds(3)) { try await client.send(.user("42")) }
        let report = try await client.send(.report, options: CallOptions(timeout: .seconds(10)))
        // GUIDE: end
        #expect(user.name == "Ada")
        #expect(report.name == "Ada")
        #expect(deadlines.entries == [true, true])
    }

    @Test func thePageShowsThisCode() throws {
        #expect(try GuidePage("Deadlines").shows(#filePath))
    }
}

extension Endpoint where Response == User {
    fileprivate static func user(_ id: String) -> Self { .get("/users/\(id)") }
    fileprivate static var report: Self { .get("/report") }
}
