import Foundation
import NetKitTesting
import Testing

@testable import NetKit

struct HTTPBodyFileTests {
    private let disk = FakeFileSystem()

    private func body(_ path: String = "/a", offset: Int64 = 0, length: Int64? = nil, on disk: FakeFileSystem? = nil)
        -> HTTPBody
    {
        HTTPBody(storage: .file(FileRange(path: path, offset: offset, length: length, fileSystem: disk ?? self.disk)))
    }

    private func read(_ body: HTTPBody) async throws -> String {
        var data = Data()
        for try await chunk in body.chunks { data.append(chunk) }
        return String(decoding: data, as: UTF8.self)
    }

    @Test func readsARealFile() async throws {
        let folder = try TemporaryFolder()
        let bytes = Data((0..<600_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let body = HTTPBody.file(at: try folder.write(bytes, to: "a b.bin"), contentType: "a/b")
        #expect(body.contentType == "a/b")
        #expect(body.length == nil)
        let prepared = try body.prepared()
        #expect(prepared.length == 600_000)
        var sizes: [Int] = []
        var data = Data()
        for try await chunk in prepared.chunks {
            sizes.append(chunk.count)
            data.append(chunk)
        }
        #expect(data == bytes)
        #expect(sizes == [262_144, 262_144, 75_712])
    }

    @Test func canBeSentAgain() async throws {
        disk.put(Data("hello".utf8), at: "/a")
        let prepared = try body().prepared()
        #expect(prepared.canReplay)
        #expect(prepared.bytes == nil)
        #expect(prepared.fileRange?.path == "/a")
        #expect(try await read(prepared) == "hello")
        #expect(try await read(prepared) == "hello")
    }

    /// Each attempt opens the file again, and has announced the length that it had when the call began.
    @Test(arguments: [("longer than before", false), ("later", true)])
    func isNotCutOffIfALongerFileTakesItsPlace(_ content: String, _ isTaken: Bool) async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Data("first".utf8), to: "file")
        let prepared = try HTTPBody.file(at: file).prepared()
        let next = try folder.write(Data(content.utf8), to: "next")
        try SystemFileSystem().rename(next.path(percentEncoded: false), to: file.path(percentEncoded: false))
        if isTaken {
            #expect(try await read(prepared) == content)
        } else {
            let error = await #expect(throws: NetKitError.self) { try await read(prepared) }
            #expect(error?.code == .file)
            #expect(error?.message.contains("was replaced") == true)
            #expect(throws: NetKitError.self) { try prepared.prepared() }
        }
    }

    @Test func isReadWithoutBeingPreparedToo() async throws {
        disk.put(Data("hello".utf8), at: "/a")
        #expect(try await read(body()) == "hello")
        #expect(try await read(body(offset: 1, length: 2)) == "el")
    }

    @Test(
        arguments: [
            (0, nil, "hello"), (2, nil, "llo"), (5, nil, ""), (0, 5, "hello"), (1, 3, "ell"), (4, 1, "o"), (5, 0, ""),
            (0, 0, ""),
        ] as [(Int64, Int64?, String)]
    )
    func readsAPart(_ offset: Int64, _ length: Int64?, _ text: String) async throws {
        disk.put(Data("hello".utf8), at: "/a")
        let prepared = try body(offset: offset, length: length).prepared()
        #expect(prepared.length == Int64(text.utf8.count))
        #expect(try await read(prepared) == text)
    }

    @Test(
        arguments: [
            (6, nil, "6..<5"), (0, 6, "0..<6"), (3, 3, "3..<6"), (-1, nil, "-1..<5"), (-1, 3, "-1..<2"),
            (0, -1, "0..<-1"),
            (1, .max, "1..<9223372036854775807"), (.max, 1, "9223372036854775807..<9223372036854775807"),
            (.min, .min, ""),
        ] as [(Int64, Int64?, String)]
    )
    func refusesAPartThatIsNotThere(_ offset: Int64, _ length: Int64?, _ range: String) throws {
        disk.put(Data("hello".utf8), at: "/a")
        let error = try #require(throws: NetKitError.self) { try body(offset: offset, length: length).prepared() }
        #expect(error.code == .file)
        #expect(error.outcome == .notSent)
        #expect(error.message.hasPrefix("The body cannot be read: \"/a\" has 5 bytes, not bytes \(range)"))
    }

    @Test func saysThatAFileIsMissing() throws {
        let error = try #require(throws: NetKitError.self) { try body("/missing").prepared() }
        #expect(error.code == .file)
        let reason = "Could not look at \"/missing\": No such file or directory."
        #expect(error.message == "The body cannot be read. \(reason) Check the path.")
        #expect((error.cause as? FileError)?.path == "/missing")
    }

    @Test func refusesAFolder() throws {
        disk.makeFolder("/folder")
        let error = try #require(throws: NetKitError.self) { try body("/folder").prepared() }
        #expect(error.code == .file)
        #expect(error.message == "The body cannot be read: \"/folder\" is not a regular file.")
        let device = HTTPBody.file(at: URL(fileURLWithPath: "/dev/null"))
        #expect(throws: NetKitError.self) { try device.prepared() }
    }

    @Test func refusesAURLThatIsNoFile() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(Data("s3cret".utf8), to: "a").path(percentEncoded: false)
        let url = try #require(URL(string: "https://a.example\(path)"))
        let error = try #require(throws: NetKitError.self) { try HTTPBody.file(at: url, contentType: "a/b").prepared() }
        #expect(error.code == .file)
        #expect(error.outcome == .notSent)
        #expect(error.message == "A body can only be read from a file URL, not from one with the scheme \"https\".")
        await #expect(throws: NetKitError.self) { try await read(HTTPBody.file(at: url)) }
    }

    @Test func survivesShortReads() async throws {
        let slow = FakeFileSystem(pieceSize: 2)
        slow.put(Data("hello".utf8), at: "/a")
        var iterator = try body(on: slow).prepared().chunks.makeAsyncIterator()
        #expect(try await iterator.next() == Data("he".utf8))
        #expect(try await iterator.next() == Data("ll".utf8))
        #expect(try await iterator.next() == Data("o".utf8))
        #expect(try await iterator.next() == nil)
    }

    @Test func noticesThatTheFileBecameShorter() async throws {
        let slow = FakeFileSystem(pieceSize: 2)
        slow.put(Data("hello".utf8), at: "/a")
        var iterator = try body(on: slow).prepared().chunks.makeAsyncIterator()
        #expect(try await iterator.next() == Data("he".utf8))
        slow.put(Data("hel".utf8), at: "/a")
        #expect(try await iterator.next() == Data("l".utf8))
        let error = await #expect(throws: NetKitError.self) { try await iterator.next() }
        #expect(error?.code == .file)
        #expect(error?.outcome == .unknown)
        #expect(error?.message == "\"/a\" became shorter while it was being sent.")
        #expect(try await iterator.next() == nil)
    }

    @Test func sendsNoMoreThanItSaidWhenTheFileGrows() async throws {
        let slow = FakeFileSystem(pieceSize: 2)
        slow.put(Data("hello".utf8), at: "/a")
        var iterator = try body(on: slow).prepared().chunks.makeAsyncIterator()
        #expect(try await iterator.next() == Data("he".utf8))
        slow.put(Data("hello world".utf8), at: "/a")
        #expect(try await iterator.next() == Data("ll".utf8))
        #expect(try await iterator.next() == Data("o".utf8))
        #expect(try await iterator.next() == nil)
    }

    @Test func passesOnThatTheDiskFails() async throws {
        let slow = FakeFileSystem(pieceSize: 2)
        slow.put(Data("hello".utf8), at: "/a")
        slow.fail(.read, after: 1)
        var iterator = try body(on: slow).prepared().chunks.makeAsyncIterator()
        #expect(try await iterator.next() == Data("he".utf8))
        let error = await #expect(throws: FileError.self) { try await iterator.next() }
        #expect(error?.operation == "read")
        #expect(try await iterator.next() == nil)
    }

    @Test(arguments: [.status, .openForReading] as [FakeFileSystem.Call])
    func failsToBeginIfTheFileCannotBeOpened(_ call: FakeFileSystem.Call) async throws {
        disk.put(Data("hello".utf8), at: "/a")
        disk.fail(call)
        await #expect(throws: (any Error).self) { try await read(body()) }
    }
}
