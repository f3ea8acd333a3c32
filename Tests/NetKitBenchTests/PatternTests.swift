import Foundation
import Testing

@testable import NetKitBench

/// Bytes that tell whether all of them came, each at its place.
struct PatternTests {
    private func checksum(_ chunks: [Data]) -> UInt64 {
        var sum = Pattern.Checksum()
        for chunk in chunks { sum.add(chunk) }
        return sum.value
    }

    @Test func thePatternIsTheSameEachTimeAndAsLongAsAsked() {
        #expect(Pattern.data(1001).count == 1001)
        #expect(Pattern.data(1001) == Pattern.data(2000).prefix(1001))
        #expect(Pattern.data(0).isEmpty)
    }

    @Test func chunksMakeNoDifference() {
        let data = Pattern.data(1000)
        #expect(checksum([data]) == checksum([data.prefix(7), data.dropFirst(7)]))
    }

    @Test func whatIsMissingOrElsewhereShows() {
        let data = Pattern.data(64)
        let whole = checksum([data])
        #expect(checksum([data.dropLast()]) != whole)
        #expect(checksum([data.suffix(32), data.prefix(32)]) != whole)
        #expect(checksum([Data("a".utf8)]) == 0xAF63_DC4C_8601_EC8C)
    }
}
