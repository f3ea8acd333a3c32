import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests that the page about the path of a request names files that exist, in the order of the chain.
struct PathOfARequestTests {
    /// Returns the words in code voice of each step of a section; the first one is the file.
    private func steps(of section: String) throws -> [[String]] {
        let sections = try GuidePage("The-Path-Of-A-Request").text.components(separatedBy: "\n### ")
        let text = try #require(sections.first { $0.hasPrefix("\(section)\n") })
        return text.components(separatedBy: "\n")
            .filter { $0.first?.isNumber == true }
            .map { step in
                step.components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
            }
    }

    private func files() throws -> [String] {
        try steps(of: "From the request to the wire and back").compactMap(\.first)
    }

    /// A word belongs to the file that is named before it.
    @Test(arguments: [
        ("From a verb to the request", ""), ("Inside the curl transport", "Transport/Curl/"),
        ("Inside the offline queue", "Offline/"),
    ])
    func stepsNameWhatTheirFilesHave(section: String, folder: String) throws {
        let steps = try steps(of: section)
        #expect((6...10).contains(steps.count))
        for step in steps {
            #expect(step.first?.hasSuffix(".swift") == true)
            var (file, code) = ("", "")
            for word in step {
                if word.hasSuffix(".swift") {
                    file = "Sources/NetKit/\(folder)\(word)"
                    code = try String(contentsOf: GuidePage.root.appending(path: file), encoding: .utf8)
                } else {
                    #expect(code.contains(word), "\(file) has no \(word)")
                }
            }
        }
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
