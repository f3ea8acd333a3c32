#if canImport(Glibc) || canImport(Musl)
    import CNetKitSystem

    /// When a caller waits for the answer on its own thread, for a moment, in place of the loop's thread.
    ///
    /// Where calls follow one another and answers come within microseconds, waking the loop's thread and then the caller's
    /// takes as long as the answer. So a caller that has long been the only one waits itself. The wait is so short that it
    /// holds up nobody who wants its thread, and one that was in vain puts off the next.
    struct CurlLoneCaller {
        /// How many calls have to follow one another first.
        private static let least: Int32 = 16
        private static let most: Int32 = 4096
        private static let patience: Int64 = 150

        private let bell: CurlBell
        private var callsInTurn: Int32 = 0
        private var needed = Self.least

        init(bell: CurlBell) {
            self.bell = bell
        }

        /// Notes a call; whether it may wait for its answer.
        mutating func mayWait(isAlone: Bool) -> Bool {
            guard isAlone else {
                callsInTurn = 0
                return false
            }
            callsInTurn = min(callsInTurn + 1, Self.most)
            return callsInTurn >= needed
        }

        /// Begins to wait, and gives the end of it in microseconds: from here on others ring the bell.
        func begin() -> Int64 {
            bell.noteWaiting()
            return nk_microseconds() + Self.patience
        }

        /// Waits until there is something to read; false where the time is over, or somebody else calls.
        func wait(for descriptor: Int32, until end: Int64) -> Bool {
            let left = end - nk_microseconds()
            return left > 0 && nk_wait_readable(descriptor, bell.descriptor, Int32(clamping: left)) != 0
        }

        mutating func end(isAnswered: Bool, isInterrupted: Bool) {
            bell.noteOver()
            if isAnswered {
                needed = Self.least
            } else {
                callsInTurn = 0
                if !isInterrupted { needed = min(needed * 2, Self.most) }
            }
        }
    }
#endif
