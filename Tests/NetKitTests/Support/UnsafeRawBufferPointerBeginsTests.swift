import Testing

@testable import NetKit

struct UnsafeRawBufferPointerBeginsTests {
    @Test(arguments: [
        ("https://h", false, true), ("https:", false, true), ("HTTPS:", false, false), ("HtTpS:x", true, true),
        ("https", false, false), ("", true, false), ("httpsX", true, false), ("http\u{33}:", true, false),
    ])
    func comparesTheFirstBytes(_ text: String, _ ignoresCase: Bool, _ begins: Bool) {
        #expect(Array(text.utf8).withUnsafeBytes { $0.begins(with: "https:", ignoringCase: ignoresCase) } == begins)
    }
}
