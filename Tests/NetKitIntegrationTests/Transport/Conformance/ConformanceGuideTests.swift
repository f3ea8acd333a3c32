import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

private typealias MyTransport = SocketTransport

@Suite(.needsTheMachine)
struct ConformanceGuideTests {
    // The guide's example, compiled and run: a transport that keeps every promise passes every case.
    // GUIDE: begin
    @Suite struct MyTransportTests {
        static let conformance = TransportConformance(exceptions: []) { _ in MyTransport() }

        @Test(arguments: TransportConformance.cases)
        func passes(_ conformanceCase: ConformanceCase) async {
            let result = await Self.conformance.run(conformanceCase)
            #expect(result.isExpected, "\(result)")
        }

        @Test func exceptionsNameCases() {
            #expect(Self.conformance.exceptionProblems == [])
        }
    }
    // GUIDE: end

    @Test func theGuideShowsThisCode() throws {
        let source = try Self.lines(of: URL(fileURLWithPath: #filePath))
        let start = try #require(source.firstIndex(of: "    // GUIDE: begin"))
        let end = try #require(source.firstIndex(of: "    // GUIDE: end"))
        let example = source[(start + 1)..<end].map { String($0.dropFirst(4)) }.joined(separator: "\n")
        let guide = Self.root.appending(path: "Sources/NetKit/NetKit.docc/Writing-A-Transport.md")
        #expect(try Self.lines(of: guide).joined(separator: "\n").contains("```swift\n\(example)\n```"))
    }

    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func lines(of file: URL) throws -> [String] {
        try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false).map(
            String.init
        )
    }
}
