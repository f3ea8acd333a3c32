/// The lines that come behind a body.
struct CurlTrailers {
    private var bytes: [UInt8] = []
    private var lineEnds: [Int] = []

    mutating func add(_ line: UnsafeRawBufferPointer) {
        var count = line.count
        while count > 0, line[count - 1] == 0x0A || line[count - 1] == 0x0D { count -= 1 }
        guard count > 0 else { return }
        bytes.append(contentsOf: line[..<count])
        lineEnds.append(bytes.count)
    }

    func fields() -> HTTPHeaders { CurlHead.fields(bytes, lineEnds) }
}
