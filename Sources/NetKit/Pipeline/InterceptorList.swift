/// The interceptors of a client; the order inside one stage is the order of the list, the stages sort themselves.
///
/// A list replaces `.standard`; `.standard + [mine]` extends it.
public struct InterceptorList: Sendable, ExpressibleByArrayLiteral {
    /// The interceptors as they were given.
    public var interceptors: [any Interceptor]

    /// Makes a list.
    public init(_ interceptors: [any Interceptor]) {
        self.interceptors = interceptors
    }

    /// Makes a list from a literal.
    public init(arrayLiteral elements: any Interceptor...) {
        interceptors = elements
    }

    /// Puts one list behind another.
    public static func + (left: InterceptorList, right: InterceptorList) -> InterceptorList {
        InterceptorList(left.interceptors + right.interceptors)
    }
}
