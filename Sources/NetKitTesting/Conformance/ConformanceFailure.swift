/// What ends a case: a promise that was not kept, or a case that cannot be tried here.
enum ConformanceFailure: Error {
    case broken(expected: String, seen: String)
    case notPossible(String)
}
