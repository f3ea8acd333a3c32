import Foundation
import NetKitTesting
import Testing

@testable import NetKit

struct FileSaverTests {
    private let disk = FakeFileSystem(pieceSize: 4)
    private let source = ScriptedSource("hello ", "world")

    private func saver(_ path: String = "/folder/a", limit: Int64 = .max) -> FileSaver {
        FileSaver(destination: URL(fileURLWithPath: path), limit: limit, fileSystem: disk, random: .seeded(1))
    }

    private func save(_ saver: FileSaver) async throws -> Int64 {
        try await saver.save(ResponseBody(source: source))
    }

    @Test func writesBesideItsDestinationAndRenames() async throws {
        #expect(try await save(saver()) == 11)
        #expect(disk.paths == ["/folder/a"])
        #expect(disk.content(of: "/folder/a") == Data("hello world".utf8))
        #expect(disk.calls.first == .status)
        #expect(disk.calls[1] == .create)
        #expect(disk.calls.last == .rename)
        #expect(!disk.calls.contains(.remove))
    }

    @Test func replacesAFileOnlyOnceTheNewOneIsComplete() async throws {
        disk.put(Data("old".utf8), at: "/folder/a")
        #expect(try await save(saver()) == 11)
        #expect(disk.content(of: "/folder/a") == Data("hello world".utf8))
        #expect(disk.paths == ["/folder/a"])
    }

    @Test func savesAnEmptyBodyToo() async throws {
        #expect(try await saver().save(.empty) == 0)
        #expect(disk.content(of: "/folder/a") == Data())
    }

    @Test(
        arguments: [(.create, 0), (.write, 0), (.write, 1), (.write, 3), (.confirmWrites, 0), (.rename, 0)]
            as [(FakeFileSystem.Call, Int)]
    )
    func leavesNothingBehindWhenACallFails(_ call: FakeFileSystem.Call, _ successes: Int) async throws {
        disk.put(Data("old".utf8), at: "/folder/a")
        disk.fail(call, after: successes)
        let error = try await #require(throws: NetKitError.self) { try await save(saver()) }
        #expect(error.code == .file)
        #expect(error.outcome == .answered)
        #expect((error.cause as? FileError)?.reason == "the disk is on fire")
        #expect(disk.paths == ["/folder/a"])
        #expect(disk.content(of: "/folder/a") == Data("old".utf8))
        #expect(source.cancellations.count == ([.confirmWrites, .rename].contains(call) ? 0 : 1))
    }

    @Test func reportsTheFirstErrorIfCleaningUpFailsToo() async throws {
        disk.fail(.write)
        disk.fail(.remove)
        let error = try await #require(throws: NetKitError.self) { try await save(saver()) }
        #expect((error.cause as? FileError)?.operation == "write")
    }

    @Test func continuesIfTheDestinationCannotBeInspected() async throws {
        disk.fail(.status)
        #expect(try await save(saver()) == 11)
    }

    @Test func leavesNothingBehindWhenTheBodyFails() async throws {
        let failing = ScriptedSource("half", error: NetKitError(.connectionLost, "Gone.", outcome: .answered))
        let error = try await #require(throws: NetKitError.self) {
            try await saver().save(ResponseBody(source: failing))
        }
        #expect(error.code == .connectionLost)
        #expect(disk.paths == [])
    }

    @Test func leavesNothingBehindWhenItIsCancelled() async throws {
        let pipe = BodyPipe()
        pipe.offer(Data("half".utf8))
        let saver = saver()
        let task = startImmediately { try await saver.save(ResponseBody(source: pipe)) }
        #expect(disk.paths.count == 1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(disk.paths == [])
        #expect(pipe.isCancelled)
    }

    @Test(arguments: [11, 12] as [Int64])
    func keepsItsBound(_ limit: Int64) async throws {
        #expect(try await save(saver(limit: limit)) == 11)
    }

    @Test(arguments: [10, 6, 5, 0, -1] as [Int64])
    func stopsAtItsBound(_ limit: Int64) async throws {
        let error = try await #require(throws: NetKitError.self) { try await save(saver(limit: limit)) }
        #expect(error.code == .bodyTooLarge)
        #expect(error.outcome == .answered)
        #expect(disk.paths == [])
        #expect(source.cancellations.count == 1)
    }

    @Test func refusesAFolder() async throws {
        disk.makeFolder("/folder/a")
        let error = try await #require(throws: NetKitError.self) { try await save(saver()) }
        #expect(error.code == .file)
        #expect(error.message == "\"/folder/a\" is a folder; name a file in it.")
        #expect(disk.calls == [.status])
        #expect(source.cancellations.count == 1)
    }

    @Test func refusesAURLThatIsNoFile() async throws {
        let url = try #require(URL(string: "https://a.example/folder/a"))
        let saver = FileSaver(destination: url, fileSystem: disk)
        let error = try await #require(throws: NetKitError.self) { try await save(saver) }
        #expect(error.code == .file)
        #expect(disk.calls == [])
        #expect(source.cancellations.count == 1)
    }

    /// In a working directory that was removed, `URL(fileURLWithPath:)` makes such a URL of a relative path.
    @Test func asksForAnAbsolutePathIfTheURLHasNoScheme() async throws {
        let url = try #require(URL(string: "folder/a"))
        let saver = FileSaver(destination: url, fileSystem: disk)
        let error = try await #require(throws: NetKitError.self) { try await save(saver) }
        #expect(error.message.hasSuffix("Create one with URL(fileURLWithPath:) and an absolute path."))
    }

    @Test func doesNotDisturbAReader() async throws {
        let body = ResponseBody(source: source)
        var iterator = body.makeAsyncIterator()
        #expect(try await iterator.next() == Data("hello ".utf8))
        let error = await #expect(throws: NetKitError.self) { try await saver().save(body) }
        #expect(error?.code == .bodyConsumed)
        #expect(disk.paths == [])
        disk.makeFolder("/folder/a")
        await #expect(throws: NetKitError.self) { try await saver().save(body) }
        #expect(source.cancellations.count == 0)
        #expect(try await iterator.next() == Data("world".utf8))
    }

    @Test func twoAtOnceDoNotMeet() async throws {
        let random = RandomSource.seeded(1)
        let (first, second) = (BodyPipe(), BodyPipe())
        let tasks = [first, second].map { pipe in
            let saver = FileSaver(destination: URL(fileURLWithPath: "/a"), fileSystem: disk, random: random)
            return startImmediately { try await saver.save(ResponseBody(source: pipe)) }
        }
        #expect(disk.paths.count == 2)
        for (pipe, text) in [(first, "one"), (second, "three")] {
            pipe.offer(Data(text.utf8))
            pipe.finish()
        }
        #expect(try await tasks[0].value == 3)
        #expect(try await tasks[1].value == 5)
        #expect(disk.paths == ["/a"])
    }
}
