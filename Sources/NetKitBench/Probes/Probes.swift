/// All probes, in the order of the table.
///
/// Probes that need TLS are left out, because the mock server does not support it.
enum Probes {
    static let all: [Probe] = faults + requests + limits + loads

    static var names: [String] { all.map(\.name) }
}
