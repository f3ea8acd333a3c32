import Testing

@testable import NetKit

struct CurlLinesTests {
    private func fields(_ lines: String...) -> [HTTPHeaders.Field] {
        var read = CurlLines()
        for line in lines { Array(line.utf8).withUnsafeBytes { read.add($0) } }
        return read.fields().fields
    }

    @Test(arguments: ["\r\n", "\n", "\r\r\n", ""])
    func lineEndsAreTakenOff(_ end: String) {
        #expect(fields("A: 1\(end)", "b:2\(end)") == [.init("A", "1"), .init("b", "2")])
    }

    @Test func aLineWithNothingInItCountsForNothing() {
        #expect(fields("A: 1\r\n", "\r\n", " more\r\n") == [.init("A", "1 more")])
        #expect(fields("\r\n", "").isEmpty)
    }

    @Test func aLineWithoutAColonIsNoField() {
        #expect(fields("nothing", "A: 1") == [.init("A", "1")])
    }
}
