import Foundation
import NetKitTesting
import Testing

struct ResponseFuzzerTests {
    @Test func responsesAreTheSameForTheSameSeedAndNumber() {
        for number in [0, 1, 99, -1, .max] {
            #expect(ResponseFuzzer(seed: 5).bytes(number) == ResponseFuzzer(seed: 5).bytes(number))
        }
        #expect(ResponseFuzzer(seed: 5).bytes(1) != ResponseFuzzer(seed: 6).bytes(1))
    }

    @Test func aThousandNumbersGiveNearlyAThousandResponses() {
        let fuzzer = ResponseFuzzer(seed: .max)
        let responses = Set((0..<1000).map { fuzzer.bytes($0) })
        #expect(responses.count > 950)
    }
}
