/// A way to drive libcurl from C.
struct FloorKind: Sendable, Equatable {
    let name: String
    /// Whether libcurl waits itself, instead of getting the events of an epoll set.
    let isPolling: Bool
    /// Whether each transfer has its own handle, as NetKit's transfers have with libcurl 7.83 to 8.0.
    let hasNewHandles: Bool

    static let epoll = FloorKind(
        name: "libcurl in C, epoll, handles reused",
        isPolling: false,
        hasNewHandles: false
    )
    static let poll = FloorKind(
        name: "libcurl in C, poll, handles reused",
        isPolling: true,
        hasNewHandles: false
    )
    static let newHandles = FloorKind(
        name: "libcurl in C, poll, new handles",
        isPolling: true,
        hasNewHandles: true
    )

    #if os(Linux)
        static let all = [epoll, poll, newHandles]
    #else
        static let all: [FloorKind] = []
    #endif
    /// The kinds that clients are compared with: those that are harder to reach.
    static let measures = all.filter { !$0.hasNewHandles }

    /// Returns the name of the fastest one.
    ///
    /// It depends on the number of callers, because the system places the server and its client differently.
    static func fastest(in results: Contest.Results) -> String? {
        measures.map(\.name).filter { results.names.contains($0) }.max { first, second in
            (results.summary(of: first, \.perSecond)?.median ?? 0)
                < (results.summary(of: second, \.perSecond)?.median ?? 0)
        }
    }
}
