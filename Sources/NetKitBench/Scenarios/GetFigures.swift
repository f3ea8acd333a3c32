/// The figures to reach with small responses, for a number of callers.
struct GetFigures: Sendable {
    let wire: GetScenario.Wire
    let callers: Int

    private var words: String { GetScenario.words(callers) }

    func figures(of results: Contest.Results) -> [Figure] {
        floorFigures(of: results) + deliveryFigures(of: results) + sessionFigures(of: results)
            + failureFigures(of: results)
    }

    /// The requests a second that clients over libcurl have to reach, as a ratio to the floor: a transport alone, and
    /// NetKit as a whole.
    ///
    /// It is `nil` for numbers of callers without a figure.
    private var floorRatios: (transport: Double, whole: Double)? {
        switch (wire, callers) {
        case (.plain, 1): (0.70, 0.65)
        case (.plain, 16): (0.68, 0.65)
        case (.plain, 64): (0.80, 0.75)
        case (.tls, 64): (0.80, 0.80)
        case (.http2, 64): (0.75, 0.75)
        default: nil
        }
    }

    private func floorFigures(of results: Contest.Results) -> [Figure] {
        guard let ratios = floorRatios, let floor = FloorKind.fastest(in: results) else { return [] }
        var figures: [Figure] = []
        for kind in ClientKind.smallOverCurl where results.names.contains(kind.name) {
            let isWhole = ClientKind.netKits.contains { $0.name == kind.name }
            let ratio = results.ratio(of: kind.name, to: floor, \.perSecond)?.median
            let bound = isWhole ? ratios.whole : ratios.transport
            figures.append(Figure("\(kind.name) to the floor, requests/s, \(words)", ratio, .atLeast(bound)))
            guard wire == .plain else { continue }
            let cpu = results.ratio(of: kind.name, to: floor, \.cpu)?.median
            figures.append(Figure("\(kind.name) to the floor, CPU, \(words)", cpu, .atMost(isWhole ? 2.1 : 1.7)))
        }
        return figures
    }

    private func deliveryFigures(of results: Contest.Results) -> [Figure] {
        #if os(Linux)
            let (streamed, buffered) = (ClientKind.netKitStreamed.name, ClientKind.netKit.name)
            guard results.names.contains(streamed) else { return [] }
            let ratio = results.ratio(of: streamed, to: buffered, \.perSecond)?.median
            return [Figure("\(streamed) to buffered, requests/s, \(words)", ratio, .atLeast(0.97))]
        #else
            return []
        #endif
    }

    private func sessionFigures(of results: Contest.Results) -> [Figure] {
        let bare = ClientKind.urlSession.name
        guard wire == .plain, callers <= 64, results.names.contains(bare) else { return [] }
        let over = ClientKind.overURLSession.name
        var figures = [
            Figure(
                "\(over) to \(bare), requests/s, \(words)",
                results.ratio(of: over, to: bare, \.perSecond)?.median,
                .atLeast(0.9)
            )
        ]
        if callers == 64, let whole = ClientKind.overCurl.first?.name {
            figures += [
                Figure(
                    "\(whole) to \(bare), requests/s, \(words)",
                    results.ratio(of: whole, to: bare, \.perSecond)?.median,
                    .atLeast(8)
                ),
                Figure(
                    "\(whole) to \(bare), CPU, \(words)",
                    results.ratio(of: whole, to: bare, \.cpu)?.median,
                    .atMost(0.125)
                ),
            ]
        }
        return figures
    }

    private func failureFigures(of results: Contest.Results) -> [Figure] {
        let checked = ClientKind.netKits.map(\.name) + ClientKind.overCurl.map(\.name)
        return results.names.filter(checked.contains).compactMap { name in
            let failed = results.failureCount(of: name)
            return failed > 0 ? Figure("\(name), failed, \(words)", Double(failed), .atMost(0)) : nil
        }
    }
}
