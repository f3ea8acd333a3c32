import CNetKitPostgres
import Foundation
import NetKit

/// An error of the server or of the connection, as libpq reports it; it is the `cause` of the errors that callers see.
struct PostgresFailure: Error, Sendable {
    /// The five characters for the kind of error; `nil` if it does not come from the server.
    var sqlState: String?
    var message: String
    var hint: String?
    /// Whether the connection has ended with it.
    var isFatal = false
    /// Whether the name of the server could not be looked up.
    private var isLookup = false
    /// Whether the connection was open before, which shows that the settings are correct.
    private var wasOpen = false

    static let noMemory = PostgresFailure(connection: "there is no memory for a connection")

    /// Creates the failure of a connection from libpq's text, which has the SQLSTATE after the severity.
    ///
    /// The rest of the text is in the language of the server.
    init(connection text: String) {
        let state = #/:  (?<state>[0-9A-Z]{5}): /#
        sqlState = text.firstMatch(of: state).map { String($0.state) }
        let line = NetKitError.oneLine(Self.sentences(of: text.replacing(state, with: ":  ")), limit: 400)
        message = line.isEmpty ? "the connection was lost" : line
        isFatal = true
    }

    /// Creates the failure of a connection that was open, from libpq's text.
    init(lostConnection text: String) {
        self.init(connection: text)
        wasOpen = true
    }

    /// Creates the failure of a name that has no address.
    init(lookup text: String) {
        self.init(connection: "the name of the server has no address: \(text)")
        isLookup = true
    }

    /// Joins the lines of a text of libpq, which indents those after the first one.
    private static func sentences(of text: String) -> String {
        // The question is left out, because the advice answers it, and so is the line of the server's source.
        let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty && !$0.hasPrefix("Is the server running") && !$0.hasPrefix("LOCATION:") }
        return lines.dropFirst().reduce(into: lines.first ?? "") { text, line in
            text += (line.first?.isLowercase == true ? " " : ". ") + line
        }
    }

    /// Creates the failure of a statement from its result.
    init(_ result: OpaquePointer, _ library: PostgresLibrary) {
        let api = library.functions.pointee
        func field(_ code: Character) -> String? {
            code.asciiValue.flatMap { api.resultErrorField(result, Int32($0)).map { String(cString: $0) } }
        }
        self.init(lostConnection: api.resultErrorMessage(result).map { String(cString: $0) } ?? "")
        guard let state = field("C") else { return }
        sqlState = state
        message = NetKitError.oneLine(field("M") ?? message, limit: 300)
        hint = field("H").map { NetKitError.oneLine($0, limit: 200) }
        isFatal = field("V") == "FATAL" || field("V") == "PANIC"
    }

    /// Whether the statement was rolled back because of another one, and can run again.
    var isRepeatable: Bool { ["40001", "40P01"].contains(sqlState) }

    /// Whether the statement was cancelled.
    var isCancellation: Bool { sqlState == "57014" }

    /// Whether the server takes no changes.
    var isReadOnly: Bool { sqlState == "25006" }

    /// Whether the server was told to end the connection, and runs no further statements on it.
    var isShutdown: Bool { ["57P01", "57P02", "57P03", "57P05"].contains(sqlState) }

    /// Returns the error for a caller.
    func error(outcome: NetKitError.Outcome) -> NetKitError {
        var text = "PostgreSQL: \(message)"
        if let sqlState { text += " (SQLSTATE \(sqlState))" }
        if !text.hasSuffix("."), !text.hasSuffix("?") { text += "." }
        if let next = advice?.text ?? hint { text += " \(next)" }
        return NetKitError(
            advice?.code ?? (isFatal ? .storeUnavailable : .invalidRequest),
            text,
            outcome: outcome,
            cause: self
        )
    }

    private var advice: PostgresAdvice? {
        let stateAdvice = sqlState.flatMap { PostgresAdvice(sqlState: $0) }
        if wasOpen { return stateAdvice }
        if isLookup { return .unknownName }
        // The text says more than the SQLSTATE, if it is in English.
        if let advice = PostgresAdvice(words: message) { return advice }
        // No statement has run, so it is about a parameter of the connection or a right on the database.
        if let sqlState, ["22", "42"].contains(sqlState.prefix(2)) { return .correctSettings() }
        return stateAdvice
    }
}

extension NetKitError {
    /// The SQLSTATE of the failure behind the error, if the server sent one.
    var sqlState: String? { (cause as? PostgresFailure)?.sqlState }
}
