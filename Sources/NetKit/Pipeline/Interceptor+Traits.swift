// The traits that only interceptors of this module have. The public ones have files of their own, and `EventListening`
// lives beside the hub that calls it, because the pipeline's layer is above the hub's.

extension Interceptor {
    /// Whether the type belongs to this module, whose interceptors are known to make no difference to stored responses.
    ///
    /// Its full name begins with the name of the module. A type of another module declares its fields with
    /// ``HeaderAdding`` or ``CredentialAdding``.
    var isBuiltIn: Bool { String(reflecting: type(of: self)).hasPrefix("NetKit.") }
}

/// An interceptor that compares the identity of the credential that it adds.
protocol IdentityVerifying: CredentialAdding {}

/// An interceptor that needs the header fields that were sent; responses then have them.
protocol SentFieldsReading {}

/// An interceptor that needs the facts of a call, even if there is no listener.
protocol FactsReading {}

/// An interceptor that reports events of its own.
protocol EventSource {
    func report(to hub: EventHub)

    /// The servers to which it refuses calls, each with the reason in one word.
    var troubledServers: [Origin: String] { get }
}
