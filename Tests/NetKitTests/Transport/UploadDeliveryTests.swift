import Testing

@testable import NetKit

struct UploadDeliveryTests {
    /// A look at a connection: the bytes that its other end has, those that were written, those of the body that were
    /// passed on, and those of it that were taken, which are the same unless it says otherwise.
    private struct Look {
        let received: Int64
        let written: Int64
        let bodyCount: Int64
        let takenCount: Int64
        let isMultiplexed: Bool?
        var descriptor: Int32 = 1

        init(
            _ received: Int64,
            _ written: Int64,
            body: Int64 = 800,
            taken: Int64? = nil,
            isMultiplexed: Bool? = false
        ) {
            (self.received, self.written) = (received, written)
            (bodyCount, takenCount, self.isMultiplexed) = (body, taken ?? body, isMultiplexed)
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
                takenCount: look.takenCount,
                bodyCount: look.bodyCount,
                isMultiplexed: look.isMultiplexed
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

    /// Over TLS, what libcurl holds counts as passed on after its last byte.
    @Test func aPartThatDoesNotCountYetMoves() {
        let looks = [
            Look(100, 200, body: 0, taken: 800), Look(250, 350, body: 0, taken: 800),
            Look(500, 600, body: 0, taken: 800), Look(500, 600, body: 0, taken: 800),
            Look(1000, 1100, body: 800, taken: 1600), Look(1500, 1600, body: 800, taken: 1600),
            Look(1700, 1800, body: 800, taken: 1600), Look(1900, 1950, body: 1600), Look(1950, 1950, body: 1600),
        ]
        #expect(moves(looks) == [false, true, true, false, true, true, true, true, true])
    }

    @Test func bytesOfOthersAfterTheLastPartDoNotCount() {
        let looks = [
            Look(900, 1000, body: 0, taken: 800), Look(1800, 1800, body: 800), Look(2000, 2100, body: 800),
            Look(2300, 2300, body: 800),
        ]
        #expect(moves(looks) == [false, true, false, false])
    }

    /// The caller's stream begins late, and nothing of it counts yet.
    @Test func aPartThatIsTakenLaterMoves() {
        let looks = [
            Look(1000, 1000, body: 0), Look(1000, 1100, body: 0, taken: 800), Look(1300, 1400, body: 0, taken: 800),
            Look(1600, 1700, body: 0, taken: 800),
        ]
        #expect(moves(looks) == [false, false, true, true])
    }

    /// Over HTTP/2, a window that stays closed holds the rest of the body back, and others go on writing.
    @Test(arguments: [false, true])
    func aRestThatIsHeldBackDoesNotMove(isKnownLater: Bool) {
        let looks = [
            Look(900, 1000, body: 100, taken: 5000, isMultiplexed: !isKnownLater),
            Look(1500, 1600, body: 100, taken: 5000, isMultiplexed: true),
            Look(2000, 2100, body: 100, taken: 5000, isMultiplexed: true),
        ]
        #expect(moves(looks) == [false, true, false])
    }

    /// Before the first response, the acknowledgements of a server's pings may be all that moves.
    @Test(arguments: [true, nil] as [Bool?])
    func aRestThatIsHeldBackOnANewConnectionDoesNotMove(isMultiplexed: Bool?) {
        let looks = [
            Look(1000, 1000, body: 100, taken: 5000, isMultiplexed: isMultiplexed),
            Look(1017, 1017, body: 100, taken: 5000, isMultiplexed: isMultiplexed),
            Look(1034, 1034, body: 100, taken: 5000, isMultiplexed: isMultiplexed),
        ]
        #expect(moves(looks) == [false, false, false])
    }

    @Test func anotherConnectionBeginsAgain() {
        var other = [Look(10, 20, body: 10), Look(20, 20, body: 10)]
        for index in other.indices { other[index].descriptor = 2 }
        #expect(moves([Look(900, 1000)] + other) == [false, false, true])
    }
}
