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

    @Test func anEmptyLineIsIgnored() {
        #expect(fields("A: 1\r\n", "\r\n", " more\r\n") == [.init("A", "1 more")])
        #expect(fields("\r\n", "").isEmpty)
    }

    @Test func fieldsAreTheSameHoweverOftenTheyAreRead() {
        var read = CurlLines()
        Array("A: 1\r\n".utf8).withUnsafeBytes { read.add($0) }
        let first = read.fields()
        read.removeAll()
        Array("B: 2\r\n".utf8).withUnsafeBytes { read.add($0) }
        var changed = first
        changed["A"] = "3"
        changed.add("C", "4")
        #expect(first == ["A": "1"])
        #expect(first.hashValue == HTTPHeaders([HTTPHeaders.Field("A", "1")]).hashValue)
        #expect(changed == ["A": "3", "C": "4"])
        #expect(read.fields() == ["B": "2"])
    }

    @Test func aLineWithoutAColonIsNoField() {
        #expect(fields("nothing", "A: 1") == [.init("A", "1")])
    }
}
