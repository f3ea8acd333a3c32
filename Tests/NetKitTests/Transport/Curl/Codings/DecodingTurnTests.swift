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

        /// Returns the decoded size of each turn of ten million zeros, which arrive in one small piece.
        private func sizes(isBounded: Bool) throws -> [Int] {
            let coding = "gzip, gzip"
            let decoder = try #require(try ContentCodings.available.decoder(for: coding, maxRatio: 100_000))
            var (turn, sizes, isWhole) = (DecodingTurn(), [Int](), false)
            for number in 1...100 where !isWhole {
                let wakeUp = NetKitClock.Instant(nanoseconds: Int64(number))
                var size = 0
                isWhole = try CodedBodies.gzipTwiceZeros.withUnsafeBytes { bytes in
                    try turn.decode(bytes, with: decoder, inWakeUpAt: wakeUp, isBounded: isBounded) { decoded in
                        size += decoded.count
                        return true
                    }
                }
                sizes.append(size)
            }
            #expect(isWhole)
            #expect(sizes.reduce(0, +) == 10_000_000)
            return sizes
        }

        @Test func aSmallBodyThatIsStreamedTakesManyTurns() throws {
            let sizes = try sizes(isBounded: true)
            let bound = DecodingTurn.maxSize..<DecodingTurn.maxSize + ContentDecoder.defaultBufferSize
            #expect(sizes.count >= 9)
            #expect(sizes.dropLast().allSatisfy { bound.contains($0) })
        }

        @Test func aBufferedBodyTakesOneTurn() throws {
            #expect(try sizes(isBounded: false) == [10_000_000])
        }
    }
#endif
