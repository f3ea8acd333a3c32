/// The probes there are, in the order of the table.
///
/// Left out is what needs TLS: the mock server speaks none.
enum Probes {
    static let all: [Probe] = faults + requests + limits + loads

    static var names: [String] { all.map(\.name) }
}
