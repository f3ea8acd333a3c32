import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The translation of all errors into those that a caller of NetKit may see: `NetKitError` or `CancellationError`.
enum ErrorBoundary {
    /// Translates any error.
    ///
    /// `outcome` is the known outcome of the exchange, for errors without an outcome of their own.
    static func outward(_ error: any Error, outcome: NetKitError.Outcome) -> any Error {
        switch error {
        case is NetKitError, is CancellationError:
            return error
        case let error as URLError:
            guard let translated = NetKitError(error) else { return CancellationError() }
            // A code says little about the bytes that left the machine; the exchange's own report says more.
            return translated.outcome == .unknown ? translated.with(outcome: outcome) : translated
        case let error as FileError:
            return NetKitError(.file, error.explanation, outcome: outcome, cause: error)
        default:
            let message = "\(name(of: type(of: error))) was thrown inside the pipeline; see `cause`."
            return NetKitError(.custom, message, outcome: outcome, cause: error)
        }
    }

    /// Returns the full name of a type, without the addresses that Swift prints for private and local types.
    ///
    /// They differ in every process, and would keep logs from grouping the messages of one error.
    private static func name(of type: Any.Type) -> String {
        let parts = String(reflecting: type).split(separator: ".")
        return parts.filter { !$0.hasPrefix("(unknown context") }.joined(separator: ".")
    }

    /// Returns an error of code outside NetKit, in which a cancellation that nothing asked for is a failure of that
    /// code.
    ///
    /// The caller of a call would take it for the cancellation of its own task. Use this function in the task in which
    /// the code ran. `isStopped` is whether the call was ended from outside, or its exchange with a cancellation.
    @inline(never)
    static func failure(
        _ error: any Error,
        of part: @autoclosure () -> String,
        isStopped: @autoclosure () -> Bool,
        outcome: @autoclosure () -> NetKitError.Outcome
    ) -> any Error {
        guard error is CancellationError || (error as? URLError)?.code == .cancelled, !isStopped(), !Task.isCancelled
        else { return error }
        let message =
            "\(part()) threw \(type(of: error)), although the call was not cancelled. Throw another error to end a call."
        return NetKitError(.custom, message, outcome: outcome(), cause: error)
    }
}
