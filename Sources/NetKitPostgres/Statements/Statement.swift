/// One statement with its parameters.
///
/// Its text names NetKit's tables and functions as `netkit.…`; if the schema has another name, that one is put in.
/// Every statement is a transaction of its own, so that it also works behind a pooler in transaction mode.
struct Statement: Sendable {
    /// The SQL text, in which `$1` is the first parameter.
    var text: String
    var parameters: [Parameter]
    /// Whether the statement is run again if the connection is lost before its result arrives.
    ///
    /// Running it twice has to mean the same as running it once: for reading, and for changes that name a version or a
    /// state.
    var isRepeatable: Bool
    /// Whether its connection sends no further statement until its result arrives.
    ///
    /// A statement with a longer time limit than others would make all statements behind it fail.
    var endsPipeline: Bool

    init(_ text: String, _ parameters: Parameter..., isRepeatable: Bool = false, endsPipeline: Bool = false) {
        (self.text, self.parameters) = (text, parameters)
        (self.isRepeatable, self.endsPipeline) = (isRepeatable, endsPipeline)
    }
}

/// The kind of connection that runs a statement.
enum ConnectionRole: Sendable {
    /// One of the two connections for everything whose time depends on the amount of work.
    case work
    /// The connection for heartbeats and notices, which is never held up by work.
    case control
}
