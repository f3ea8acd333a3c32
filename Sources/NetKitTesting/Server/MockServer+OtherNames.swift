// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation
public import NetKit

// Names that other test servers have. None of them can be called: the compiler says what to write instead.

@available(*, unavailable, renamed: "on(_:_:_:)")
extension MockServer {
    @_alwaysEmitIntoClient public func stub(_ method: HTTPMethod?, _ path: String, _ replies: ServerReply...) {}
}

extension MockServer {
    @available(*, unavailable, message: "Name the method, or nil for each of them: on(.get, path, reply).")
    @_alwaysEmitIntoClient public func on(_ path: String, _ replies: ServerReply...) {}
    @available(*, unavailable, message: "Name the route: on(.get, \"/users/42\", .json(user)).")
    @_alwaysEmitIntoClient public func enqueue(_ reply: ServerReply) {}
    @available(*, unavailable, message: "Name the route: on(.get, \"/users/42\", .json(user)).")
    @_alwaysEmitIntoClient public func respond(_ reply: ServerReply) {}
    @available(*, unavailable, message: "Name the method: on(.get, path, reply).")
    @_alwaysEmitIntoClient public func get(_ path: String, _ replies: ServerReply...) {}
    @available(*, unavailable, message: "Name the method: on(.post, path, reply).")
    @_alwaysEmitIntoClient public func post(_ path: String, _ replies: ServerReply...) {}
    @available(*, unavailable, message: "A server listens from its creation: let server = try MockServer().")
    @_alwaysEmitIntoClient public static func start() throws -> MockServer { try MockServer() }
    @available(*, unavailable, message: "A server listens from its creation: let server = try MockServer().")
    @_alwaysEmitIntoClient public func start() throws {}
    @available(*, unavailable, renamed: "stop()")
    @_alwaysEmitIntoClient public func close() {}
    @available(*, unavailable, renamed: "stop()")
    @_alwaysEmitIntoClient public func shutdown() {}
    @available(*, unavailable, renamed: "baseURL")
    @_alwaysEmitIntoClient public var address: URL { baseURL }
    @available(*, unavailable, renamed: "requests.count")
    @_alwaysEmitIntoClient public var requestCount: Int { 0 }
    @available(*, unavailable, renamed: "requests.last")
    @_alwaysEmitIntoClient public var lastRequest: ServerRequest? { nil }
    @available(*, unavailable, message: "Read the requests in their order: server.requests.")
    @_alwaysEmitIntoClient public func takeRequest() -> ServerRequest? { nil }
}

extension ServerReply {
    @available(*, unavailable, renamed: "pausing(_:at:)")
    @_alwaysEmitIntoClient public func delay(_ delay: Duration) -> ServerReply { self }
    @available(*, unavailable, renamed: "pausing(_:at:)")
    @_alwaysEmitIntoClient public func delayed(by delay: Duration) -> ServerReply { self }
}

extension TestClock {
    @available(*, unavailable, message: "Write TestClock(date: date).")
    @_alwaysEmitIntoClient public convenience init(now: Date) { self.init(date: now) }
    @available(*, unavailable, renamed: "advance(by:)")
    @_alwaysEmitIntoClient public func advance(_ duration: Duration) {}
    @available(*, unavailable, renamed: "advance(by:)")
    @_alwaysEmitIntoClient public func tick(_ duration: Duration) {}
}

extension ReplayTransport {
    @available(*, unavailable, renamed: "init(har:matching:)")
    @_alwaysEmitIntoClient public convenience init(file: URL) throws { try self.init(har: file) }
    @available(*, unavailable, renamed: "init(har:matching:)")
    @_alwaysEmitIntoClient public convenience init(recording: URL) throws { try self.init(har: recording) }
    @available(*, unavailable, renamed: "init(har:matching:)")
    @_alwaysEmitIntoClient public convenience init(_ file: URL) throws { try self.init(har: file) }
    @available(*, unavailable, message: "Pass a URL: ReplayTransport(har: URL(fileURLWithPath: path)).")
    @_alwaysEmitIntoClient public convenience init(har path: String) throws {
        try self.init(har: URL(fileURLWithPath: path))
    }
}

extension ReplayTransport.Matching {
    @available(
        *,
        unavailable,
        message: "Set its properties: var matching = ReplayTransport.Matching(); matching.ignoresQuery = true."
    )
    @_alwaysEmitIntoClient public init(ignoresQuery: Bool) { self.init() }
    @available(
        *,
        unavailable,
        message: "Set its properties: var matching = ReplayTransport.Matching(); matching.isStrict = true."
    )
    @_alwaysEmitIntoClient public init(isStrict: Bool) { self.init() }
    @available(
        *,
        unavailable,
        message: "Set its properties: var matching = ReplayTransport.Matching(); matching.isStrict = true."
    )
    @_alwaysEmitIntoClient public static var strict: ReplayTransport.Matching { ReplayTransport.Matching() }
}
