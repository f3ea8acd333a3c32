import Foundation
import NetKit
import Testing

@testable import netkit_bench

/// Tests of bytes that show whether all of them arrived, each at its place.
struct PatternTests {
    private static let stretch = 64 << 10

    private func hash(_ bytes: Data) -> String {
        var hash = SHA256()
        bytes.withUnsafeBytes { hash.add($0) }
        return hash.value
    }

    @Test func thePatternIsTheSameEachTimeAndAsLongAsAsked() {
        #expect(Pattern.data(1001).count == 1001)
        #expect(Pattern.data(1001) == Pattern.data(2000).prefix(1001))
        #expect(Pattern.data(0).isEmpty)
    }

    @Test(arguments: [0, 3, 1001, 64 << 10, (64 << 10) + 5, 200_000])
    func dataFileAndHashAreOfTheSameBytes(_ count: Int) throws {
        let folder = try ScratchFolder()
        defer { folder.remove() }
        let file = folder.url.appending(path: "pattern")
        try Pattern.write(count, to: file)
        let data = Pattern.data(count)
        #expect(try Data(contentsOf: file) == data)
        #expect(Pattern.hash(count) == hash(data))
    }

    @Test func swappedStretchesChangeTheHash() {
        let data = Pattern.data(3 * Self.stretch)
        let (first, second) = (data.prefix(Self.stretch), data[Self.stretch..<2 * Self.stretch])
        #expect(first != second)
        #expect(hash(second + first + data.suffix(Self.stretch)) != Pattern.hash(data.count))
    }
}
