import Synchronization

/// The choice of a transport at its first use, which holds until the process ends.
///
/// A transport that cannot be used is replaced by `URLSessionTransport`. If the system only lacks file descriptors,
/// threads or memory for it, the next use tries again.
final class TransportChoice: Sendable {
    private let chosen = AtomicLazyReference<Box<any Transport>>()
    private let make: @Sendable () throws(NetKitError) -> any Transport
    private let report: @Sendable (NetKitError) -> Void

    /// Creates a choice.
    ///
    /// - Parameters:
    ///   - make: A closure that makes the preferred transport.
    ///   - report: A closure that reports once why the preferred transport cannot be used.
    init(
        make: @escaping @Sendable () throws(NetKitError) -> any Transport,
        report: @escaping @Sendable (NetKitError) -> Void
    ) {
        (self.make, self.report) = (make, report)
    }

    /// Returns the transport, or throws if the system lacks the resources for it.
    func transport() throws(NetKitError) -> any Transport {
        if let chosen = chosen.load() { return chosen.value }
        do throws(NetKitError) {
            return chosen.storeIfNil(Box(try make())).value
        } catch {
            guard !error.isLocalShortage else {
                // The last resources may have gone to the transport of a call that began at the same time.
                guard let chosen = chosen.load() else { throw error }
                return chosen.value
            }
            let other = Box<any Transport>(URLSessionTransport())
            let kept = chosen.storeIfNil(other)
            if kept === other { report(error) }
            return kept.value
        }
    }
}
