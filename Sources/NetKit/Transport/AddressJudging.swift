/// A transport that asks the address guard before it makes a connection, and before it uses one again.
protocol AddressJudging: Transport {}

/// A transport that cannot keep what an address guard promises.
protocol AddressGuardRefusing: Transport {
    /// The reason why a client with an address guard cannot send over this transport; `nil` if it can.
    var addressGuardProblem: String? { get }
}
