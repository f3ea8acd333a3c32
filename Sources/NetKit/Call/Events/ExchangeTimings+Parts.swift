extension ExchangeTimings {
    /// The parts of an exchange up to its answer, in order, and when since its beginning each was over.
    ///
    /// What a connection that stood already did long before is no part of it.
    package var parts: [(kind: ClientEvent.Kind, duration: Duration)] {
        var parts: [(ClientEvent.Kind, Duration?)] = []
        if reusedConnection != true {
            parts = [(.nameResolved, nameResolved), (.connected, connected), (.secured, secured)]
        }
        parts.append((.firstByte, firstByte))
        return parts.compactMap { kind, duration in duration.map { (kind, $0) } }
    }
}
