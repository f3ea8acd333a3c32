import Testing

@testable import NetKitCore

struct UnsafeBufferPointerBeginsTests {
    @Test(arguments: [
        ("https://h", false, true), ("https:", false, true), ("HTTPS:", false, false), ("HtTpS:x", true, true),
        ("https", false, false), ("", true, false), ("httpsX", true, false), ("http\u{33}:", true, false),
    ])
    func comparesTheFirstBytes(_ text: String, _ ignoresCase: Bool, _ begins: Bool) {
        var text = text
        #expect(text.withUTF8 { $0.begins(with: "https:", ignoringCase: ignoresCase) } == begins)
    }
}
