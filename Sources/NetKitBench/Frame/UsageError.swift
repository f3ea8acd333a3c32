/// What is wrong with the command line, in a sentence for the person who typed it.
struct UsageError: Error, Equatable {
    let message: String

    init(_ message: String) {
        self.message = message
    }
}
