import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests that the page about the path of a request names files that exist, in the order of the chain.
struct PathOfARequestTests {
    private func files() throws -> [String] {
        let page = GuidePage.root.appending(path: "Sources/NetKit/NetKit.docc/The-Path-Of-A-Request.md")
        let path = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "### Beside the path")[0]
        return path.split(separator: "\n")
            .filter { $0.first?.isNumber == true }
            .compactMap { $0.split(separator: "`").dropFirst().first.map(String.init) }
    }

    @Test func everyFileIsThere() throws {
        let files = try files()
        #expect((15...25).contains(files.count))
        #expect(Set(files).count == files.count)
        for file in files {
            let path = GuidePage.root.appending(path: "Sources/NetKit/\(file)").path(percentEncoded: false)
            #expect(FileManager.default.fileExists(atPath: path), "\(file)")
        }
    }

    @Test func theLinksStandInTheOrderOfTheChain() throws {
        let names = try files().map { ($0 as NSString).lastPathComponent }
        let pipeline = HTTPClient().pipeline
        let links: [Any] = pipeline.interceptors + [pipeline.actualTransport]
        let expected = links.map { "\(type(of: $0)).swift" }
        #expect(names.filter { expected.contains($0) } == expected)
    }
}
