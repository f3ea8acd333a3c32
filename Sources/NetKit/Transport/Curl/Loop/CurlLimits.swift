#if canImport(Glibc) || canImport(Musl)
    /// The next time at which a loop checks the limits of its transfers, with one alarm for all of them.
    ///
    /// Limits are long and transfers short, so a transfer rarely has to set the alarm: another one has already set it.
    struct CurlLimits {
        private var alarm: ClockAlarm?
        private var due: NetKitClock.Instant?

        /// Makes the loop check the limits at an instant at the latest.
        mutating func schedule(at instant: NetKitClock.Instant, inbox: LoopInbox<CurlCommand>) {
            if let due, due <= instant { return }
            alarm?.cancel()
            due = instant
            alarm = NetKitClock.system.scheduleWakeUp(at: instant) { inbox.post(.checkAll) }
        }

        /// Records that the alarm has gone off.
        mutating func noteAlarm() { (alarm, due) = (nil, nil) }

        /// Cancels the next check.
        mutating func cancel() {
            alarm?.cancel()
            noteAlarm()
        }
    }
#endif
