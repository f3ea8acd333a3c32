#if canImport(Glibc) || canImport(Musl)
    extension CurlTransport {
        /// Lets no new exchange begin, waits for those in flight, and ends what is left after a bound with `.closed`; then
        /// closes the connections and ends the threads.
        ///
        /// Without it the same happens when the last who uses the transport lets go of it. Shut down the clients that send
        /// over it first: their calls end in order then, retries and all.
        ///
        /// - Parameters:
        ///   - bound: How long exchanges in flight may take.
        ///   - clock: What the bound is measured with.
        /// - Returns: Whether every exchange ended by itself.
        @discardableResult
        public func shutdown(within bound: Duration = .seconds(30), clock: NetKitClock = .system) async -> Bool {
            let drained = DrainWait()
            let busyLoops = Locked(loops.count)
            for loop in loops {
                loop.places.close {
                    let isLast = busyLoops.withLock { count in
                        count -= 1
                        return count == 0
                    }
                    if isLast { drained.end(isDrained: true) }
                }
            }
            let alarm = clock.scheduleWakeUp(at: clock.now.advanced(by: bound)) { drained.end(isDrained: false) }
            let isDrained = await drained.wait()
            alarm.cancel()
            for loop in loops { await loop.stop() }
            return isDrained
        }
    }
#endif
