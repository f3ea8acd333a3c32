#if os(Linux)
    import Testing

    @testable import NetKit

    struct CurlLoneCallerTests {
        private func caller() throws -> CurlLoneCaller { CurlLoneCaller(bell: try CurlBell()) }

        /// How many calls in turn it takes until one may wait.
        private func callsInTurn(_ caller: inout CurlLoneCaller) -> Int? {
            (1...10_000).first { _ in caller.mayWait(isAlone: true) }
        }

        @Test func aCallerThatWasLongAloneMayWait() throws {
            var caller = try caller()
            let first = callsInTurn(&caller)
            caller.end(isAnswered: true, isInterrupted: false)
            let next = callsInTurn(&caller)
            #expect([first, next] == [16, 1])
        }

        @Test func anotherCallerBeginsTheCountAnew() throws {
            var caller = try caller()
            let first = callsInTurn(&caller)
            let mayWait = caller.mayWait(isAlone: false)
            let next = callsInTurn(&caller)
            #expect([first, next] == [16, 16])
            #expect(!mayWait)
        }

        @Test func eachWaitInVainPutsOffTheNext() throws {
            var caller = try caller()
            var counts: [Int?] = []
            for _ in 0..<12 {
                counts.append(callsInTurn(&caller))
                caller.end(isAnswered: counts.count == 11, isInterrupted: false)
            }
            #expect(counts == [16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 4096, 4096, 1])
        }

        @Test func anInterruptedWaitWasNotInVain() throws {
            var caller = try caller()
            _ = callsInTurn(&caller)
            caller.end(isAnswered: false, isInterrupted: true)
            let next = callsInTurn(&caller)
            #expect(next == 16)
        }

        @Test func aBellIsRungOnceForWhoeverWaits() throws {
            let bell = try CurlBell()
            #expect(!bell.ringIfWaiting())
            bell.noteWaiting()
            #expect(bell.ringIfWaiting())
            #expect(!bell.ringIfWaiting())
            bell.noteWaiting()
            bell.noteOver()
            #expect(!bell.ringIfWaiting())
        }

        @Test func aRungBellEndsTheWaitAtOnce() throws {
            let bell = try CurlBell()
            let caller = CurlLoneCaller(bell: bell)
            let silent = try CurlBell()
            _ = caller.begin()
            #expect(bell.ringIfWaiting())
            // Far in the future: what ends it is the bell, and nothing else.
            #expect(!caller.wait(for: silent.descriptor, until: .max))
            silent.noteWaiting()
            #expect(silent.ringIfWaiting())
            #expect(caller.wait(for: silent.descriptor, until: .max))
        }
    }
#endif
