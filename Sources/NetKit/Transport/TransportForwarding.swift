/// A transport that passes every exchange on to another one.
protocol TransportForwarding: Transport {
    /// The transport that carries out the exchanges.
    var actual: any Transport { get }
}
