import Foundation
import NetKitTesting
import Testing

@testable import NetKit

struct SystemFileSystemTests {
    private let files = SystemFileSystem()
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func path(_ name: String) -> String { folder.file(name).path(percentEncoded: false) }

    private func read(_ file: OpenFile, _ count: Int, at offset: Int64) throws -> String {
        var bytes = [UInt8](repeating: 0, count: count)
        let got = try bytes.withUnsafeMutableBytes { try files.read(file, into: $0, at: offset) }
        return String(decoding: bytes[..<got], as: UTF8.self)
    }

    @Test func writesAndReadsBack() throws {
        let file = try files.create(path("a"), permissions: 0o600)
        try files.writeAll(Data("hello ".utf8), to: file)
        try files.writeAll(Data("world".utf8), to: file)
        let again = try files.openForReading(path("a"))
        #expect(try read(again, 5, at: 0) == "hello")
        #expect(try read(again, 100, at: 6) == "world")
        #expect(try read(again, 100, at: 11) == "")
        #expect(try read(again, 100, at: 5000) == "")
        let status = try files.status(of: path("a"))
        #expect(status.kind == .regular)
        #expect(status.size == 11)
        #expect(status.linkCount == 1)
        #expect(status.foreignOwner == nil)
        #expect(try files.status(of: again) == status)
    }

    @Test func aFileStaysOpenAfterItsWritesAreConfirmed() throws {
        let file = try files.openForAppending(path("a"), permissions: 0o600)
        try files.writeAll(Data("hello ".utf8), to: file)
        try files.confirmWrites(to: file)
        try files.writeAll(Data("world".utf8), to: file)
        #expect(try Data(contentsOf: folder.file("a")) == Data("hello world".utf8))
        #expect(throws: FileError.self) { try files.openForAppending(path("a"), permissions: 0o600) }
    }

    @Test func writesAreNotConfirmedWithoutACopyOfTheDescriptor() {
        let error = #expect(throws: FileError.self) {
            try files.confirmWrites(to: OpenFile(descriptor: -1, path: path("a")))
        }
        #expect(error?.operation == "write")
    }

    @Test func aLockEndsWithItsFileThoughACopyOfTheDescriptorLivesOn() throws {
        var file: OpenFile? = try files.openForAppending(path("a"), permissions: 0o600)
        let copy = dup(try #require(file).descriptor)
        defer { close(copy) }
        #expect(throws: FileError.self) { try files.openForAppending(path("a"), permissions: 0o600) }
        file = nil
        file = try files.openForAppending(path("a"), permissions: 0o600)
        #expect(file != nil)
    }

    @Test func tellsFoldersAndOthersFromFiles() throws {
        #expect(try files.status(of: folder.path).kind == .directory)
        #expect(try files.status(of: "/dev/null").kind == .other)
    }

    @Test func doesNotCreateAFileOverAnExistingOne() throws {
        _ = try folder.write(Data("old".utf8), to: "a")
        let error = #expect(throws: FileError.self) { try files.create(path("a"), permissions: 0o600) }
        #expect(error?.operation == "create")
        #expect(error?.code == EEXIST)
        #expect(try Data(contentsOf: folder.file("a")) == Data("old".utf8))
    }

    @Test func createsWithThePermissionsAsked() throws {
        _ = try files.create(path("a"), permissions: 0o600)
        let attributes = try FileManager.default.attributesOfItem(atPath: path("a"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test func renamesOverAnExistingFile() throws {
        _ = try folder.write(Data("new".utf8), to: "a")
        _ = try folder.write(Data("old".utf8), to: "b")
        try files.rename(path("a"), to: path("b"))
        #expect(try folder.names == ["b"])
        #expect(try Data(contentsOf: folder.file("b")) == Data("new".utf8))
    }

    @Test func removesAFileAndMissesNone() throws {
        _ = try folder.write(Data(), to: "a")
        try files.remove(path("a"))
        try files.remove(path("a"))
        #expect(try folder.names == [])
    }

    @Test func errorsNameTheOperationAndThePath() {
        let missing = path("missing")
        let calls: [(String, () throws(FileError) -> Void)] = [
            ("look at", { () throws(FileError) in _ = try files.status(of: missing) }),
            ("open", { () throws(FileError) in _ = try files.openForReading(missing) }),
            ("replace", { () throws(FileError) in try files.rename(missing, to: missing) }),
        ]
        for (operation, call) in calls {
            let error = #expect(throws: FileError.self) { try call() }
            #expect(error?.operation == operation)
            #expect(error?.path == missing)
            #expect(error?.code == ENOENT)
            #expect(error?.message == "Could not \(operation) \"\(missing)\": No such file or directory.")
        }
    }

    /// A name from outside could otherwise lead to another file than its end promises.
    @Test func aZeroByteDoesNotEndAPath() throws {
        _ = try folder.write(Data("secret".utf8), to: "a")
        let (known, longer, other) = (path("a"), path("a\0.txt"), path("b\0.txt"))
        func refuses(_ call: () throws -> Void) {
            let error = #expect(throws: FileError.self) { try call() }
            #expect(error?.reason == "no path has a zero byte")
        }
        refuses { _ = try files.status(of: longer) }
        refuses { _ = try files.status(ofLink: longer) }
        refuses { _ = try files.openForReading(longer) }
        refuses { _ = try files.openForAppending(longer, permissions: 0o600) }
        refuses { _ = try files.create(other, permissions: 0o600) }
        refuses { try files.link(known, to: other) }
        refuses { try files.rename(known, to: other) }
        #expect(try folder.names == ["a"])
    }

    /// A container may have a file of the host mounted in its place.
    @Test func aFileThatIsAMountIsExplained() {
        let error = FileError(operation: "replace", path: "/a", code: EBUSY, reason: "Device or resource busy")
        let advice = "If the file is a mount of its own, mount its folder instead."
        #expect(error.explanation == "Could not replace \"/a\": Device or resource busy. \(advice)")
    }

    @Test(arguments: [(EMFILE, "the process has too many open files"), (ENOMEM, "the system has no memory left")])
    func aLackOfDescriptorsOrMemoryIsExplained(code: Int32, shortage: String) {
        let explanation = FileError(operation: "open", path: "/a", code: code, reason: "x").explanation
        #expect(explanation.hasPrefix("Could not open \"/a\": \(shortage); "))
        #expect(explanation.hasSuffix(", or close files and connections."))
    }

    /// The disk has room: the limit is that of the process, or of the file system for one file.
    @Test func aFileThatMayNotGrowIsExplained() {
        let error = FileError(operation: "write", path: "/a", code: EFBIG, reason: "File too large")
        let advice = "Raise the limit for the size of files."
        #expect(error.explanation == "Could not write \"/a\": File too large. \(advice)")
    }

    @Test func failsToReadAFolderAndToRemoveOne() throws {
        let open = try files.openForReading(folder.path)
        #expect(throws: FileError.self) { try read(open, 10, at: 0) }
        #expect(throws: FileError.self) { try files.remove(folder.path) }
    }

    @Test func failsToWriteToAFileOpenedForReading() throws {
        _ = try folder.write(Data("x".utf8), to: "a")
        let open = try files.openForReading(path("a"))
        let error = #expect(throws: FileError.self) {
            try files.writeAll(Data("y".utf8), to: open)
        }
        #expect(error?.operation == "write")
    }

    @Test func writesAllHoweverManyCallsThatTakes() throws {
        let fake = FakeFileSystem(pieceSize: 3)
        let file = try fake.create("/a", permissions: 0o600)
        try fake.writeAll(Data("0123456789".utf8), to: file)
        #expect(fake.content(of: "/a") == Data("0123456789".utf8))
        #expect(fake.calls.filter { $0 == .write }.count == 4)
    }

    @Test func givesUpIfNoByteIsAccepted() throws {
        let fake = FakeFileSystem(pieceSize: 0)
        let file = try fake.create("/a", permissions: 0o600)
        let error = #expect(throws: FileError.self) {
            try fake.writeAll(Data("0".utf8), to: file)
        }
        #expect(error?.message == "Could not write \"/a\": no byte was accepted.")
    }

    @Test func writesNothingForAnEmptyBuffer() throws {
        let fake = FakeFileSystem()
        let file = try fake.create("/a", permissions: 0o600)
        try fake.writeAll(Data(), to: file)
        #expect(fake.calls == [.create])
    }

    /// Another user of the folder could otherwise read a token, or have a file of theirs renamed to it.
    @Test func aLinkInPlaceOfTheTemporaryFileGetsNothing() throws {
        let (disk, path, target) = (FaultyDisk(), path("token"), path("target"))
        try Data().write(to: folder.file("target"))
        disk.afterRemoving {
            try? FileManager.default.createSymbolicLink(atPath: "\(path).tmp", withDestinationPath: target)
        }
        let error = #expect(throws: FileError.self) {
            try disk.replaceFile(path) { file throws(FileError) in
                try disk.writeAll(Array("secret".utf8), to: file, at: 0)
            }
        }
        #expect(error?.alreadyExists == true)
        #expect(try Data(contentsOf: folder.file("target")).isEmpty)
    }

    @Test(arguments: [("t", "."), ("/t", "/"), ("/", "/"), (".", "."), ("a/t", "a"), ("/a/b/t", "/a/b"), ("é/t", "é")])
    func thePathOfTheFolderAbove(path: String, folder: String) {
        #expect(path.folderAbove == folder)
    }
}
