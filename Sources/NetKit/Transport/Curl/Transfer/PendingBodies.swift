#if canImport(Glibc) || canImport(Musl)
    /// The streamed bodies with new bytes that their readers do not have yet.
    struct PendingBodies {
        private var transfers: [CurlTransfer] = []

        var isEmpty: Bool { transfers.isEmpty }

        mutating func note(_ transfer: CurlTransfer) {
            guard !transfer.isNotedAsPending else { return }
            transfer.isNotedAsPending = true
            transfers.append(transfer)
        }

        /// Hands over, at the end of a wake-up, the bodies that did not grow in it or have waited long enough.
        mutating func handOverFinished() {
            guard !transfers.isEmpty else { return }
            transfers.removeAll { transfer in
                guard !transfer.chunkBuffer.mayGrow() else { return false }
                Self.handOver(transfer)
                return true
            }
        }

        /// Hands over all bodies.
        mutating func handOver() {
            for transfer in transfers { Self.handOver(transfer) }
            transfers.removeAll(keepingCapacity: true)
        }

        private static func handOver(_ transfer: CurlTransfer) {
            transfer.isNotedAsPending = false
            transfer.handOver()
        }
    }
#endif
