/// The text of a JSON object whose members keep their order.
struct JSONObjectText {
    private var members = ""

    /// The whole object.
    var text: String { "{\(members)}" }

    // Not inlined: each member of an object would repeat all of this.

    /// Adds a member with a string.
    @inline(never)
    mutating func add(_ name: String, _ value: String) { add(name, json: LogText.json(value)) }

    /// Adds a member with a value that is JSON already.
    @inline(never)
    mutating func add(_ name: String, json: String) {
        members += members.isEmpty ? "\"" : ",\""
        members += name
        members += "\":"
        members += json
    }
}
