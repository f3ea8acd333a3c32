import Testing

@testable import NetKit

struct ExactTextTests {
    @Test(arguments: [
        ("jos\u{E9}", "jose\u{301}"), ("a\u{323}\u{307}", "a\u{307}\u{323}"), ("\u{212B}", "\u{C5}"),
    ])
    func equalStringsOfOtherBytesAreNotTheSame(one: String, other: String) {
        #expect(one == other)
        #expect(!one.isExactly(other))
        #expect(ExactText(one) != ExactText(other))
        #expect(Set([one, other, one].map { ExactText($0) }).count == 2)
        #expect(!Set([one]).containsExactly(other))
        #expect(Set([one]).containsExactly(one))
    }

    @Test func longTextsAreComparedToTheirEnds() {
        let long = String(repeating: "jos\u{E9}", count: 20)
        #expect(long.isExactly(String(Array(long))))
        #expect(!(long + "a").isExactly(long + "b"))
    }

    @Test func anEmptyTextIsNotNothing() {
        #expect("".isExactly(""))
        #expect(!"".isExactly(nil))
    }
}
