import Foundation
import NetKit
import NetKitTesting
import Testing

struct RandomSourceTests {
    @Test(
        arguments: [
            (UInt64.min, 0.0), (UInt64.max, 1 - 0x1p-53), (1 << 63, 0.5), (1 << 62, 0.25), (0x7FF, 0), (0x800, 0x1p-53),
        ] as [(UInt64, Double)]
    )
    func givesAUnitIntervalWithoutItsEnd(_ bits: UInt64, _ number: Double) {
        #expect(RandomSource { bits }.unitInterval() == number)
    }

    @Test(
        arguments: [
            (UInt64.min, "00000000-0000-4000-8000-000000000000"), (UInt64.max, "ffffffff-ffff-4fff-bfff-ffffffffffff"),
            (0x0123_4567_89AB_CDEF, "01234567-89ab-4def-8123-456789abcdef"),
        ] as [(UInt64, String)]
    )
    func makesAVersionFourUUID(_ bits: UInt64, _ text: String) {
        #expect(RandomSource { bits }.uuidText() == text)
    }

    @Test func makesUUIDsThatFoundationReads() throws {
        let random = RandomSource.seeded(7)
        for _ in 0..<100 {
            let text = random.uuidText()
            #expect(try #require(UUID(uuidString: text)).uuidString == text.uppercased())
        }
    }

    @Test func isTheSameForTheSameSeed() {
        let (left, right, other) = (RandomSource.seeded(1), RandomSource.seeded(1), RandomSource.seeded(2))
        let numbers = (0..<100).map { _ in left.next() }
        #expect((0..<100).map { _ in right.next() } == numbers)
        #expect((0..<100).map { _ in other.next() } != numbers)
        #expect(Set(numbers).count == 100)
    }

    /// The first numbers of SplitMix64 for the seed 1234567, as its authors' reference program prints them.
    @Test func isSplitMixWhenSeeded() {
        let random = RandomSource.seeded(1_234_567)
        #expect(random.next() == 6_457_827_717_110_365_317)
        #expect(random.next() == 3_203_168_211_198_807_973)
        #expect(random.next() == 9_817_491_932_198_370_423)
    }

    @Test func theSystemsNumbersDiffer() {
        let random = RandomSource.system
        #expect(Set((0..<100).map { _ in random.next() }).count == 100)
        #expect(random.uuidText() != random.uuidText())
    }

    @Test func servesAsAGeneratorOfTheStandardLibrary() {
        var (left, right) = (RandomSource.seeded(3), RandomSource.seeded(3))
        #expect(Int.random(in: 0..<1000, using: &left) == Int.random(in: 0..<1000, using: &right))
    }
}
