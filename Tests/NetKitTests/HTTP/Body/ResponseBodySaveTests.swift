import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests on a real disk.
struct ResponseBodySaveTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func body(_ text: String = "hello") -> ResponseBody {
        ResponseBody(source: ScriptedSource(text.utf8.map { Data([$0]) }))
    }

    @Test func savesABody() async throws {
        #expect(try await body().save(to: folder.file("a b.txt")) == 5)
        #expect(try folder.names == ["a b.txt"])
        #expect(try Data(contentsOf: folder.file("a b.txt")) == Data("hello".utf8))
    }

    @Test func replacesAFile() async throws {
        let file = try folder.write(Data("a longer text that was there before".utf8), to: "a")
        try await ResponseBody(Data("hello".utf8)).save(to: file)
        #expect(try Data(contentsOf: file) == Data("hello".utf8))
        #expect(try folder.names == ["a"])
    }

    @Test(arguments: ["x", "ü"])
    func savesUnderTheLongestNameThatTheDiskTakes(_ letter: String) async throws {
        let name = String(repeating: letter, count: 255 / letter.utf8.count)
        #expect(try await body().save(to: folder.file(name)) == 5)
        #expect(try folder.names == [name])
    }

    @Test func needsItsFolder() async throws {
        let destination = folder.file("missing").appendingPathComponent("a")
        let error = try await #require(throws: NetKitError.self) { try await body().save(to: destination) }
        #expect(error.code == .file)
        #expect(error.outcome == .answered)
        #expect(error.message.hasPrefix("Could not create \""))
        #expect(error.message.hasSuffix("No such file or directory. Check the path."))
        #expect(try folder.names == [])
    }

    @Test func refusesAFolderAsItsDestination() async throws {
        let error = try await #require(throws: NetKitError.self) { try await body().save(to: folder.url) }
        #expect(error.code == .file)
        #expect(error.message.hasSuffix("is a folder; name a file in it."))
        #expect(try folder.names == [])
    }

    /// A rename would replace the pipe, as it would replace a device.
    @Test(arguments: [false, true])
    func refusesAPipeAndLeavesIt(_ isLink: Bool) async throws {
        let pipe = folder.file("pipe")
        #expect(mkfifo(pipe.path(percentEncoded: false), 0o600) == 0)
        let link = folder.file("link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: pipe)
        let destination = isLink ? link : pipe
        let error = try await #require(throws: NetKitError.self) { try await body().save(to: destination) }
        #expect(error.code == .file)
        #expect(error.message.hasSuffix("is not a regular file. Choose another path."))
        #expect(try folder.names == ["link", "pipe"])
        #expect(try SystemFileSystem().status(of: link.path(percentEncoded: false)).kind == .other)
    }

    @Test func stopsAtItsBoundAndLeavesTheOldFile() async throws {
        let file = try folder.write(Data("old".utf8), to: "a")
        let error = try await #require(throws: NetKitError.self) { try await body().save(to: file, upTo: 4) }
        #expect(error.code == .bodyTooLarge)
        #expect(try folder.names == ["a"])
        #expect(try Data(contentsOf: file) == Data("old".utf8))
    }

    @Test func isReadOnceLikeAnyBody() async throws {
        let body = body()
        try await body.save(to: folder.file("a"))
        let error = try await #require(throws: NetKitError.self) { try await body.save(to: folder.file("b")) }
        #expect(error.code == .bodyConsumed)
        #expect(try folder.names == ["a"])
    }
}
