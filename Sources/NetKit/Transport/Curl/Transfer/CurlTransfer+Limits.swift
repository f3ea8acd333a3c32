#if canImport(Glibc) || canImport(Musl)
    import CNetKitCurl
    import CNetKitSystem

    /// The limits of time of a transfer, which the loop checks.
    extension CurlTransfer {
        /// Returns the earliest time at which a limit may have expired.
        func firstCheck(at now: NetKitClock.Instant) -> NetKitClock.Instant? {
            earlier(attemptEnd, naming.wait == nil ? nextLook(from: now) : namingEnd)
        }

        /// Returns the time at which silence may have lasted too long; the half of it for a request with a body, so
        /// that it is seen whether the body still moves.
        private func nextLook(from now: NetKitClock.Instant) -> NetKitClock.Instant? {
            let limit = earlier(context.timeouts.firstByte, context.timeouts.idle)
            return limit.map { now.advanced(by: upload.isPresent ? $0 / 2 : $0) }
        }

        /// The time at which the attempt's limit expires; the limit ends with the head of a streamed body.
        var attemptEnd: NetKitClock.Instant? {
            isHeadComplete && context.delivery.isStreamed ? nil : context.attemptEnd
        }

        /// Checks whether a limit has expired, and returns the time of the next check; on the loop's thread.
        func check() -> NetKitClock.Instant? {
            let now = clock.now
            if let end = attemptEnd, end <= now {
                fail(attempt.timeout(after: context.attemptLimit))
                return nil
            }
            if let wait = naming.wait, let end = namingEnd, end <= now {
                fail(unanswered(wait.host))
                return nil
            }
            // A transfer that waits for its reader, or before its response for the caller's stream, is not silent.
            noteResumed()
            if hasDelivered() { watch?.noteDelivered(at: now) }
            guard let watch else { return firstCheck(at: now) }
            guard let expiry = watch.expiry(at: now) else {
                let look = upload.isPresent ? nextLook(from: now) : nil
                return earlier(attemptEnd, earlier(watch.nextCheck, look))
            }
            fail(expiry.error(outcome: attempt.outcome))
            return nil
        }

        /// Returns whether bytes of the request reached the server since the last check.
        private func hasDelivered() -> Bool {
            guard upload.isPresent, watch != nil, let descriptor, let handle else { return false }
            let position = nk_socket_position(descriptor)
            return delivery.look(
                at: UploadDelivery.Position(
                    descriptor: descriptor,
                    received: position.received,
                    written: position.written,
                    takenCount: sentCount,
                    bodyCount: handle.easy.offset(NK_CURLINFO_SIZE_UPLOAD_T),
                    isMultiplexed: withCore { $0.isMultiplexed(descriptor, of: self) } ?? nil
                )
            )
        }
    }
#endif
