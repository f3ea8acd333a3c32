/// The interceptors of a client, which sorts them by stage and keeps the order of the list inside a stage.
///
/// A list replaces ``standard``, which contains a ``RetryInterceptor``; `.standard + [mine]` extends it.
public struct InterceptorList: Sendable, ExpressibleByArrayLiteral {
    /// The interceptors in the order of the list.
    public var interceptors: [any Interceptor]

    /// Creates a list from an array.
    public init(_ interceptors: [any Interceptor]) { self.interceptors = interceptors }

    /// Creates a list from a literal.
    public init(arrayLiteral elements: any Interceptor...) { interceptors = elements }

    /// Returns a list with the interceptors of one list after those of another.
    public static func + (left: InterceptorList, right: InterceptorList) -> InterceptorList {
        InterceptorList(left.interceptors + right.interceptors)
    }

    /// Returns a list with another interceptor at its end.
    public static func + (left: InterceptorList, right: some Interceptor) -> InterceptorList {
        InterceptorList(left.interceptors + [right])
    }
}
