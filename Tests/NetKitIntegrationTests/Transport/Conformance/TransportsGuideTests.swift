import Foundation
import NetKitTestSupport
import NetKitTesting
import Testing

#if canImport(FoundationNetworking)
    /// Tests that the page "URLSession on Linux" names the same exceptions of `URLSessionTransport` as the list.
    @Suite(.needsTheMachine)
    struct TransportsGuideTests {
        private static let page: String? = {
            let page = URL(fileURLWithPath: #filePath)
                .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent()
                .appendingPathComponent("Sources/NetKit/NetKit.docc/URLSession-On-Linux.md")
            return try? String(contentsOf: page, encoding: .utf8)
        }()

        @Test func everyExceptionStandsOnThePage() throws {
            let page = try #require(Self.page)
            for exception in URLSessionExceptions.all {
                #expect(page.contains("`\(exception.caseName)`"), "\(exception.caseName) is missing")
            }
        }

        @Test func everyCaseOnThePageIsAnException() throws {
            let page = try #require(Self.page)
            let names = Set(URLSessionExceptions.all.map(\.caseName))
            for conformanceCase in TransportConformance.cases where page.contains("`\(conformanceCase.name)`") {
                #expect(names.contains(conformanceCase.name), "\(conformanceCase.name) is kept")
            }
        }
    }
#endif
