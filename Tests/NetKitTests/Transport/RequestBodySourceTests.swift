import Foundation
import NetKitTesting
import Testing

@testable import NetKit

struct RequestBodySourceTests {
    private func contents(of source: RequestBodySource, pieces: Int = 1000) throws -> Data {
        var contents = Data()
        while true {
            var piece = Data(count: pieces)
            let count = try piece.withUnsafeMutableBytes { try source.read(into: $0, at: Int64(contents.count)) }
            guard count > 0 else { return contents }
            contents.append(piece.prefix(count))
        }
    }

    private func chunks(_ sizes: [Int]) -> AsyncStream<Data> {
        AsyncStream { continuation in
            for (index, size) in sizes.enumerated() {
                continuation.yield(Data(repeating: UInt8(truncatingIfNeeded: index), count: size))
            }
            continuation.finish()
        }
    }

    @Test func bytesAreReadFromAnyPosition() async throws {
        // A slice, whose indices do not start at 0.
        let bytes = Data("xxhello worldxx".utf8)[2..<13]
        let source = try await RequestBodySource.make(of: .data(bytes), streamBound: 0)

        #expect(source.length == 11)
        #expect(try contents(of: source, pieces: 4) == Data("hello world".utf8))
        var end = Data(count: 3)
        #expect(try end.withUnsafeMutableBytes { try source.read(into: $0, at: 99) } == 0)
        #expect(try end.withUnsafeMutableBytes { try source.read(into: $0, at: -1) } == 0)
    }

    @Test func aPartOfAFileIsThatPart() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Data("0123456789".utf8), to: "body")
        let body = HTTPBody.file(at: file, offset: 2, length: 5)
        let source = try await RequestBodySource.make(of: try body.prepared(), streamBound: 0)

        #expect(source.length == 5)
        #expect(try contents(of: source, pieces: 3) == Data("23456".utf8))
    }

    @Test func aFileThatBecameShorterIsAnErrorAndNoCrash() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Data("0123456789".utf8), to: "body")
        let source = try await RequestBodySource.make(of: try HTTPBody.file(at: file).prepared(), streamBound: 0)
        let handle = try FileHandle(forWritingTo: file)
        try handle.truncate(atOffset: 4)

        let error = #expect(throws: NetKitError.self) { try contents(of: source) }
        #expect(error?.code == .file)
    }

    @Test(arguments: [[], [10], [100_000, 100_000], [200_000, 100_000, 300_000], [0, 1, 0, 300_000, 5]])
    func aStreamIsReadToItsEnd(_ sizes: [Int]) async throws {
        let source = try await RequestBodySource.make(of: .stream(chunks(sizes)), streamBound: 1 << 20)

        var expected = Data()
        for (index, size) in sizes.enumerated() {
            expected.append(Data(repeating: UInt8(truncatingIfNeeded: index), count: size))
        }
        #expect(source.length == Int64(expected.count))
        #expect(try contents(of: source, pieces: 70_000) == expected)
    }

    @Test(arguments: [nil, 700_000 as Int64?])
    func aStreamPastItsBoundIsRefusedWithAHint(_ declared: Int64?) async throws {
        let body = HTTPBody.stream(length: declared, chunks([300_000, 400_000]))
        let error = await #expect(throws: NetKitError.self) {
            _ = try await RequestBodySource.make(of: body, streamBound: 600_000)
        }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains("limits.maxRequestStream") == true)
    }

    @Test func aDiskThatIsFullIsSaidSo() async throws {
        let disk = FakeFileSystem()
        disk.fail(.write)
        let error = await #expect(throws: FileError.self) {
            _ = try await RequestBodySource.make(of: .stream(chunks([400_000])), streamBound: 1 << 20, fileSystem: disk)
        }
        #expect(error?.operation == "write")
        #expect(disk.paths.isEmpty)
    }
}
