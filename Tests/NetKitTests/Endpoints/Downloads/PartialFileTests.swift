import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of the two names that a finished file has for a moment: its own and that of the part.
struct PartialFileTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Returns a part with all of its bytes.
    private func wholePart(_ fileSystem: any FileSystem = SystemFileSystem()) throws -> PartialFile {
        var part = part(fileSystem)
        try part.reopen()
        try part.remember(PartialFile.Note(validator: "\"one\"", total: 4))
        try Data("done".utf8).withUnsafeBytes { try part.append($0) }
        return part
    }

    private func part(_ fileSystem: any FileSystem = SystemFileSystem(), key: String = "key") -> PartialFile {
        PartialFile(folder: folder.path + "/", key: key, fileSystem: fileSystem, random: .seeded(1))
    }

    /// Gives the part its final name and ends before the other name is removed, as a process that is killed does.
    private func finishHalfway() throws {
        let part = try wholePart()
        try SystemFileSystem().link(part.path, to: folder.file("saved").path(percentEncoded: false))
    }

    @Test func aFinishedFileIsNotContinuedAsAPart() throws {
        try finishHalfway()
        var next = part()
        try next.reopen()
        #expect(next.size == 0)
        #expect(next.note == nil)
        try Data("other".utf8).withUnsafeBytes { try next.append($0) }
        #expect(try Data(contentsOf: folder.file("saved")) == Data("done".utf8))
        next.remove()
        #expect(try folder.names == ["saved"])
    }

    /// A server could choose a URL whose part is taken for that of another one. FNV-1a is 0 for both of these keys.
    @Test func noKeyCanBeMadeToNameThePartOfAnother() {
        #expect(part(key: "!0IC=VloaY").path != part(key: "QvXtM>@Fp%").path)
    }

    @Test func theLockIsHeldUntilThePartIsRemoved() throws {
        let disk = ProbedDisk()
        var part = try wholePart(disk)
        let isMoved = try part.moveUnlessTaken(to: folder.file("saved").path(percentEncoded: false))
        #expect(isMoved)
        #expect(disk.wasLocked.entries == [true])
        #expect(try folder.names == ["saved"])
    }

    /// In a folder that others may write to, they can guess the name, which depends only on the URL and the place.
    @Test func aFileOfAnotherUserIsNotContinued() throws {
        let disk = FakeFileSystem()
        var first = part(disk)
        try first.reopen()
        try first.remember(PartialFile.Note(validator: "\"one\"", total: 4))
        disk.put(Data("evil".utf8), at: first.path)
        var next = part(disk)
        try next.reopen()
        #expect(next.size == 4)
        disk.give(first.path, to: 1000)
        next = part(disk)
        try next.reopen()
        #expect(next.size == 0)
        #expect(next.note == nil)
        #expect(disk.paths == [first.path])
        #expect(disk.content(of: first.path) == Data())
    }

    @Test(arguments: [false, true]) func aNoteOfAnotherUserIsNotBelieved(isPlacedLast: Bool) throws {
        let disk = FakeFileSystem()
        var first = part(disk)
        try first.reopen()
        try first.remember(PartialFile.Note(validator: "\"one\"", total: 4))
        disk.put(Data("old".utf8), at: first.path)
        let notePath = try #require(first.notePath)
        if isPlacedLast {
            disk.before(.openForReading) { disk.give(notePath, to: 1000) }
        } else {
            disk.give(notePath, to: 1000)
        }
        var next = part(disk)
        try next.reopen()
        #expect(next.size == 0)
        #expect(disk.paths == [first.path])
    }

    /// As on a network drive that gives the files of all users one owner.
    @Test func aPartIsContinuedIfAllFilesOfThisUserHaveAnotherOwner() throws {
        let disk = FakeFileSystem()
        disk.setOwnerOfNewFiles(65_534)
        var first = part(disk)
        try first.reopen()
        try first.remember(PartialFile.Note(validator: "\"one\"", total: 4))
        try Data("on".utf8).withUnsafeBytes { try first.append($0) }
        var next = part(disk)
        try next.reopen()
        #expect(next.size == 2)
        #expect(disk.paths.count == 2)
    }

    /// A program that tidies up removes the part, and another process then begins the same download.
    @Test func thePartOfAnotherDownloadIsNeitherTakenNorRemoved() throws {
        var part = try wholePart()
        try part.checkPlace()
        try SystemFileSystem().remove(part.path)
        #expect(throws: FileError.self) { try part.checkPlace() }
        let other = try wholePart()
        #expect(throws: FileError.self) { try part.checkPlace() }
        part.remove()
        try other.checkPlace()
        #expect(try folder.names.count == 2)
    }

    @Test func aPipeInPlaceOfThePartIsRemoved() throws {
        var part = part()
        try #require(mkfifo(part.path, 0o600) == 0)
        // With a reader, it can be opened for writing.
        let reader = open(part.path, O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        try part.reopen()
        #expect(part.size == 0)
        #expect(try SystemFileSystem().status(of: part.path).kind == .regular)
    }
}

/// The real disk, on which another download tries to open a part just before its name is removed.
private final class ProbedDisk: FileSystem {
    let wasLocked = Notebook<Bool>()
    private let disk = SystemFileSystem()

    func remove(_ path: String) throws(FileError) {
        if path.hasSuffix(".part") {
            wasLocked.add((try? disk.openForAppending(path, permissions: 0o600)) == nil)
        }
        try disk.remove(path)
    }

    func status(of path: String) throws(FileError) -> FileStatus { try disk.status(of: path) }

    func status(of file: OpenFile) throws(FileError) -> FileStatus { try disk.status(of: file) }

    func openForReading(_ path: String) throws(FileError) -> OpenFile { try disk.openForReading(path) }

    func create(_ path: String, permissions: UInt32) throws(FileError) -> OpenFile {
        try disk.create(path, permissions: permissions)
    }

    func openForAppending(_ path: String, permissions: UInt32) throws(FileError) -> OpenFile {
        try disk.openForAppending(path, permissions: permissions)
    }

    func truncate(_ file: OpenFile) throws(FileError) { try disk.truncate(file) }

    func read(_ file: OpenFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileError) -> Int {
        try disk.read(file, into: buffer, at: offset)
    }

    func write(_ bytes: UnsafeRawBufferPointer, to file: OpenFile, at offset: Int64?) throws(FileError) -> Int {
        try disk.write(bytes, to: file, at: offset)
    }

    func link(_ source: String, to destination: String) throws(FileError) { try disk.link(source, to: destination) }

    func rename(_ source: String, to destination: String) throws(FileError) {
        try disk.rename(source, to: destination)
    }
}
