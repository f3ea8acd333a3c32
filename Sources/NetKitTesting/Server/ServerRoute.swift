import NetKit

/// Which requests a route answers, and with what.
struct ServerRoute: Sendable, CustomStringConvertible {
    enum Responder: Sendable {
        case replies([ServerReply])
        case handler(@Sendable (ServerRequest) -> ServerReply)

        /// What a request is answered with.
        func reply(to request: ServerRequest) -> ServerReply {
            switch self {
            case .replies(let replies): replies.first ?? .status(200)
            case .handler(let handler): handler(request)
            }
        }
    }

    let method: HTTPMethod?
    let pattern: PathPattern
    let responder: Responder
    /// How many replies were given.
    var given = 0

    init(_ method: HTTPMethod?, _ path: String, _ responder: Responder) {
        self.method = method
        pattern = PathPattern(path)
        self.responder = responder
    }

    var description: String { "\(method?.rawValue ?? "any method") \(pattern.text)" }

    func matches(_ request: ServerRequest) -> Bool {
        (method == nil || method == request.method) && pattern.matches(request.path[...])
    }

    /// What comes next; of given replies the last one stays.
    mutating func next() -> Responder {
        guard case .replies(let replies) = responder else { return responder }
        defer { given += 1 }
        return .replies(given < replies.count ? [replies[given]] : replies.suffix(1))
    }
}
