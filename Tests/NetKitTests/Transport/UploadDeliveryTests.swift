import Testing

@testable import NetKit

struct UploadDeliveryTests {
    /// A look at a connection: the bytes that its other end has, those that were written, and those of the body.
    private struct Look {
        let received: Int64
        let written: Int64
        var bodyCount: Int64
        var descriptor: Int32 = 1

        init(_ received: Int64, _ written: Int64, body: Int64 = 800) {
            (self.received, self.written, bodyCount) = (received, written, body)
        }
    }

    /// Returns for each look whether the body has moved.
    private func moves(_ looks: [Look]) -> [Bool] {
        var delivery = UploadDelivery()
        return looks.map { look in
            let position = UploadDelivery.Position(
                descriptor: look.descriptor,
                received: look.received,
                written: look.written,
                bodyCount: look.bodyCount
            )
            return delivery.look(at: position)
        }
    }

    @Test func aBodyThatLeavesMoves() {
        let looks = [Look(100, 1000), Look(500, 1000), Look(500, 1000), Look(1000, 1000), Look(1000, 1000)]
        #expect(moves(looks) == [false, true, false, true, false])
    }

    @Test func bytesOfOthersAfterTheBodyDoNotCount() {
        #expect(moves([Look(900, 1000), Look(1500, 1600), Look(2000, 2100)]) == [false, true, false])
    }

    /// The other end has all of them, and others go on writing.
    @Test func aBodyThatHasArrivedDoesNotMove() {
        #expect(moves([Look(1000, 1000), Look(1400, 1400), Look(1800, 1900)]) == [false, false, false])
    }

    /// The window of HTTP/2 opens slowly, and others write much in between.
    @Test func aBodyThatIsPassedOnMoves() {
        let looks = [Look(9000, 9000, body: 10), Look(90_000, 90_000, body: 20), Look(90_000, 91_000, body: 20)]
        #expect(moves(looks) == [false, true, false])
    }

    @Test func moreOfTheBodyCountsAgain() {
        let looks = [Look(1000, 1000), Look(1000, 2000, body: 900), Look(1500, 2000, body: 900)]
        #expect(moves(looks) == [false, true, true])
    }

    @Test func anotherConnectionBeginsAgain() {
        var other = [Look(10, 20, body: 10), Look(20, 20, body: 10)]
        for index in other.indices { other[index].descriptor = 2 }
        #expect(moves([Look(900, 1000)] + other) == [false, false, true])
    }
}
