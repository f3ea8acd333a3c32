import NetKit

/// The response of the service.
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

/// The request body of the service.
public struct NewUser: Codable, Equatable, Sendable {
    public let name: String

    public init(name: String) {
        self.name = name
    }
}
