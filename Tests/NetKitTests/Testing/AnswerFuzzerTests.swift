import Foundation
import NetKitTesting
import Testing

struct AnswerFuzzerTests {
    @Test func answersAreTheSameForTheSameSeedAndNumber() {
        for number in [0, 1, 99, -1, .max] {
            #expect(AnswerFuzzer(seed: 5).bytes(number) == AnswerFuzzer(seed: 5).bytes(number))
        }
        #expect(AnswerFuzzer(seed: 5).bytes(1) != AnswerFuzzer(seed: 6).bytes(1))
    }

    @Test func aThousandNumbersGiveNearlyAThousandAnswers() {
        let fuzzer = AnswerFuzzer(seed: .max)
        let answers = Set((0..<1000).map { fuzzer.bytes($0) })
        #expect(answers.count > 950)
    }
}
