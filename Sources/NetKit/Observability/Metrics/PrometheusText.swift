/// Metrics in the text format that Prometheus reads.
struct PrometheusText {
    private(set) var text = ""

    init() {}

    /// Begins a metric; its samples follow.
    mutating func begin(_ name: String, _ type: String, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    mutating func add(_ name: String, _ labels: [(String, String?)] = [], _ value: String) {
        let shown = labels.compactMap { name, value in value.map { "\(name)=\"\(Self.escaped($0))\"" } }
        text += name + (shown.isEmpty ? "" : "{\(shown.joined(separator: ","))}") + " \(value)\n"
    }

    /// A metric of one number.
    mutating func add(_ name: String, _ type: String, _ help: String, _ value: Int) {
        begin(name, type, help)
        add(name, [], String(value))
    }

    private static func escaped(_ value: String) -> String {
        var escaped = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
