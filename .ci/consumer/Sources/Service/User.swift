import NetKit

/// What the service answers with.
public struct User: Codable, Equatable, Sendable {
    public let id: Int
    public let name: String
    public var joined: Date?

    public init(id: Int, name: String, joined: Date? = nil) {
        self.id = id
        self.name = name
        self.joined = joined
    }
}

/// What the service takes.
public struct NewUser: Codable, Equatable, Sendable {
    public let name: String

    public init(name: String) {
        self.name = name
    }
}
