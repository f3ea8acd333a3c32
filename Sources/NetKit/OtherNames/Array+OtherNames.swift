// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// A list of interceptors has a type of its own.

extension Array where Element == any Interceptor {
    @available(
        *,
        unavailable,
        message: "Declare the list as an InterceptorList: let list: InterceptorList = .standard + [mine]."
    )
    @_alwaysEmitIntoClient public static var standard: [any Interceptor] { InterceptorList.standard.interceptors }
}
