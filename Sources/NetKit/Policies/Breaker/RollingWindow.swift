/// The number of exchanges in the latest period, and of those that failed.
///
/// The window has ten slices, and the oldest slice is dropped as a whole. An exchange therefore counts for nine to ten
/// tenths of the length.
struct RollingWindow: Sendable {
    private struct Slice {
        var total = 0
        var failures = 0
    }

    private static var sliceCount: Int { 10 }

    private let sliceLength: Int64
    private var slices = Array(repeating: Slice(), count: Self.sliceCount)
    /// The number of the latest slice since the clock's origin.
    private var latest = Int64.min

    /// The number of exchanges.
    var total: Int { slices.reduce(0) { $0 + $1.total } }
    /// The number of failed exchanges.
    var failures: Int { slices.reduce(0) { $0 + $1.failures } }

    init(length: Duration) {
        sliceLength = max(1, length.clampedNanoseconds / Int64(Self.sliceCount))
    }

    /// Counts an exchange.
    ///
    /// An exchange from before the latest slice counts in the latest slice.
    mutating func add(isFailure: Bool, now: NetKitClock.Instant) {
        advance(to: now)
        let index = Self.index(of: latest)
        slices[index].total += 1
        if isFailure { slices[index].failures += 1 }
    }

    /// Counts a failure in place of an earlier success.
    ///
    /// If that success is forgotten, the failure is a new exchange.
    mutating func addLateFailure(now: NetKitClock.Instant) {
        advance(to: now)
        for back in 0..<Int64(Self.sliceCount) {
            let index = Self.index(of: latest.subtractingSaturated(back))
            guard slices[index].total > slices[index].failures else { continue }
            slices[index].total -= 1
            break
        }
        add(isFailure: true, now: now)
    }

    /// Forgets the exchanges that are older than the length.
    mutating func advance(to now: NetKitClock.Instant) {
        let number = now.nanoseconds / sliceLength
        guard number > latest else { return }
        let passed = min(number.subtractingSaturated(latest), Int64(Self.sliceCount))
        for back in 0..<passed { slices[Self.index(of: number.subtractingSaturated(back))] = Slice() }
        latest = number
    }

    /// Forgets everything.
    mutating func clear() {
        for index in slices.indices { slices[index] = Slice() }
    }

    private static func index(of number: Int64) -> Int { Int(number).modulo(sliceCount) }
}
