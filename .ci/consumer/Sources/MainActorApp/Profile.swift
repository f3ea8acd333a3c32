import NetKit

/// A model as an app writes it, in a module where everything is on the main actor unless it says otherwise.
public nonisolated struct Profile: Codable, Equatable, Sendable {
    public var id: Int
    public var nickname: String

    public init(id: Int, nickname: String) {
        self.id = id
        self.nickname = nickname
    }
}

extension Endpoint where Response == Profile {
    public static func profile(_ id: Int) -> Self { .get("/profiles/\(id)") }
    public static func save(_ profile: Profile) -> Self { .put("/profiles/\(profile.id)", json: profile) }
}

extension Endpoint where Response == Void {
    public static func deleteProfile(_ id: Int) -> Self { .delete("/profiles/\(id)") }
}
