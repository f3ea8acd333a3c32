/// Arguments that make no sense, and why.
struct UsageError: Error {
    let message: String
    var isHelp = false

    static let help = UsageError(message: "", isHelp: true)
}
