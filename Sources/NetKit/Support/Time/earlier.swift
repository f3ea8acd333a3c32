/// Returns the earlier of two times, or the shorter of two durations, of which each may be missing.
func earlier<Value: Comparable>(_ first: Value?, _ second: Value?) -> Value? {
    guard let first, let second else { return first ?? second }
    return min(first, second)
}
