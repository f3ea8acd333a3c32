import Testing

@testable import NetKit

struct UploadDeliveryTests {
    /// A look at a connection: the bytes that its other end has, those that were written, and what else holds.
    private struct Look {
        var received: Int64
        var written: Int64
        var descriptor: Int32 = 1
        var isShared = true
        var held: Int64 = 0
        var isMoreTaken = false

        init(_ received: Int64, _ written: Int64) { (self.received, self.written) = (received, written) }

        func with(_ change: (inout Look) -> Void) -> Look {
            var look = self
            change(&look)
            return look
        }
    }

    /// Returns for each look whether the body has moved.
    private func moves(_ looks: [Look]) -> [Bool] {
        var delivery = UploadDelivery()
        return looks.map { look in
            if look.isMoreTaken { delivery.noteTaken() }
            let position = UploadDelivery.Position(
                descriptor: look.descriptor,
                received: look.received,
                written: look.written
            )
            return delivery.look(at: position, isShared: look.isShared, held: look.held)
        }
    }

    @Test(arguments: [false, true])
    func aBodyThatLeavesMoves(isShared: Bool) {
        let looks = [Look(100, 1000), Look(500, 1000), Look(500, 1000), Look(1000, 1000), Look(1000, 1000)]
        #expect(moves(looks.map { $0.with { $0.isShared = isShared } }) == [false, true, false, true, false])
    }

    @Test func bytesOfOthersAfterTheBodyDoNotCount() {
        #expect(moves([Look(900, 1000), Look(1500, 1600), Look(2000, 2100)]) == [false, true, false])
    }

    /// What libcurl holds is written later.
    @Test func bytesThatAreHeldCount() {
        let looks = [Look(1000, 1000), Look(1200, 1200), Look(1300, 1300), Look(1400, 1400)]
        #expect(moves(looks.map { $0.with { $0.held = 300 } }) == [false, true, true, false])
    }

    @Test func moreOfTheBodyCountsAgain() {
        let more = Look(1000, 2000).with { $0.isMoreTaken = true }
        #expect(moves([Look(1000, 1000), Look(1000, 1500), more, Look(1500, 2000)]) == [false, false, false, true])
    }

    @Test func anotherConnectionBeginsAgain() {
        let other = [Look(10, 20), Look(20, 20)].map { $0.with { $0.descriptor = 2 } }
        #expect(moves([Look(900, 1000)] + other) == [false, false, true])
    }

    @Test func aConnectionMayBeSharedLater() {
        let own = Look(900, 1000).with { $0.isShared = false }
        #expect(moves([own, Look(1000, 1000), Look(2000, 2000)]) == [false, true, false])
    }
}
