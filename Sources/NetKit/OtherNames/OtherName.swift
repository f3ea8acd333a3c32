// The declarations with other names are `@_alwaysEmitIntoClient`. Nothing can call them, so no binary holds their code.

/// A stand-in for a name that NetKit does not have.
///
/// It accepts any use, so that the compiler gets as far as the message of the name, whatever follows it.
@_documentation(visibility: internal)
@dynamicCallable
@dynamicMemberLookup
public struct OtherName: Sendable {
    @usableFromInline init() {}

    /// Accepts any arguments.
    public func dynamicallyCall(withKeywordArguments arguments: KeyValuePairs<String, Any>) -> OtherName {
        self
    }

    /// Accepts any arguments, for a result of any type.
    @_disfavoredOverload
    public func dynamicallyCall<Result>(withKeywordArguments arguments: KeyValuePairs<String, Any>) throws -> Result {
        throw NetKitError(.unsupported, "NetKit has no such name.")
    }

    /// Accepts any member.
    public subscript(dynamicMember name: String) -> OtherName { self }
}
