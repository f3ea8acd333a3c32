/// Memory that a handle keeps for its transfers' answers: for the lines of the head, and for small bodies.
struct CurlRoom: Sendable {
    var lines = CurlLines()
    var body: [UInt8] = []
}
