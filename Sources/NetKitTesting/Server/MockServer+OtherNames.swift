// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// The name that a mock transport has for a route.

public import NetKit

@available(*, unavailable, renamed: "on(_:_:_:)")
extension MockServer {
    @_alwaysEmitIntoClient public func stub(_ method: HTTPMethod?, _ path: String, _ replies: ServerReply...) {}
}
