/// The cause of an error that comes from a lack of file descriptors, threads or memory on this machine.
///
/// Such an error says nothing about the network and the server.
struct LocalShortage: Error {}

extension NetKitError {
    /// Whether the error comes from a lack of resources on this machine.
    var isLocalShortage: Bool { cause is LocalShortage || (cause as? ResolverError)?.isLocalShortage == true }
}
