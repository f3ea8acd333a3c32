/// How long the parts of an exchange took, as HAR divides them.
enum HARTimings {
    /// The time in all, in milliseconds, and the parts as JSON; what is not known, or was no part of it, is -1.
    ///
    /// - Parameters:
    ///   - timings: What the transport knows.
    ///   - answered: When the head of the answer was here, since the beginning.
    ///   - ended: When everything was.
    /// - Returns: The sum of the parts, and the parts.
    static func text(_ timings: ExchangeTimings?, answered: Duration, ended: Duration) -> (Double, String) {
        let isNew = timings?.reusedConnection != true
        let resolved = isNew ? timings?.nameResolved : nil
        let connected = isNew ? timings?.connected : nil
        let secured = isNew ? timings?.secured : nil
        let ready = secured ?? connected ?? resolved ?? .zero
        let first = timings?.firstByte ?? answered
        let dns = resolved.map { part(.zero, $0) } ?? -1
        // The handshake is a part of connecting.
        let connect = connected.map { part(resolved ?? .zero, secured ?? $0) } ?? -1
        let handshake = secured.map { part(connected ?? .zero, $0) } ?? -1
        let (wait, receive) = (part(ready, first), part(first, ended))
        let sum = max(0, dns) + max(0, connect) + wait + receive
        let text = """
            {"blocked":-1,"dns":\(dns),"connect":\(connect),"ssl":\(handshake),"send":0,"wait":\(wait),"receive":\(receive)}
            """
        return ((sum * 1000).rounded() / 1000, text)
    }

    /// The milliseconds between two moments.
    private static func part(_ start: Duration, _ end: Duration) -> Double {
        (max(0, (end - start).inSeconds) * 1_000_000).rounded() / 1000
    }
}
