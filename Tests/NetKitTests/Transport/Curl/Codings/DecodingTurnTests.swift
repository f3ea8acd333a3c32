#if os(Linux)
    import Testing

    @testable import NetKit

    struct DecodingTurnTests {
        private let wakeUp = NetKitClock.Instant(nanoseconds: 1)
        private let nextWakeUp = NetKitClock.Instant(nanoseconds: 2)

        /// libcurl delivers what it has read in sixteen pieces.
        @Test func thePiecesOfAWakeUpShareATurn() {
            var turn = DecodingTurn()
            let size = DecodingTurn.maxSize / 16
            for number in 1...16 {
                turn.begin(inWakeUpAt: wakeUp)
                #expect(!turn.isOver)
                turn.note(size)
                #expect(turn.isOver == (number == 16))
            }
            turn.begin(inWakeUpAt: wakeUp)
            #expect(turn.isOver)
        }

        @Test func anotherWakeUpIsAnotherTurn() {
            var turn = DecodingTurn()
            for time in [wakeUp, nextWakeUp] {
                turn.begin(inWakeUpAt: time)
                #expect(!turn.isOver)
                turn.note(DecodingTurn.maxSize)
                #expect(turn.isOver)
            }
        }
    }
#endif
