/// A way to drive libcurl from C.
struct FloorKind: Sendable, Equatable {
    let name: String
    /// Whether libcurl waits itself, or is told what an epoll set found.
    let isPolling: Bool
    /// Whether each transfer has a handle of its own, as NetKit's have with libcurl 7.83 to 8.0.
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
    /// Those that others are measured by: the harder ones.
    static let measures = all.filter { !$0.hasNewHandles }

    /// Returns the fastest of them, which depends on the number of callers, because of where the system has the
    /// server and its client run.
    static func fastest(in results: Contest.Results) -> String? {
        measures.map(\.name).filter { results.names.contains($0) }.max { first, second in
            (results.summary(of: first, \.perSecond)?.median ?? 0)
                < (results.summary(of: second, \.perSecond)?.median ?? 0)
        }
    }
}
