import NetKit

/// The part of a service that other parts use. It accepts anything that sends, so that tests can pass a stand-in.
public struct UserService: Sendable {
    private let sender: any RequestSending

    public init(_ sender: any RequestSending) {
        self.sender = sender
    }

    public func user(_ id: String) async throws -> User {
        try await sender.send(.user(id))
    }

    public func create(_ name: String) async throws -> User {
        try await sender.send(.createUser(NewUser(name: name)))
    }

    public func remove(_ id: Int) async throws {
        try await sender.send(.deleteUser(id))
    }

    /// Returns nil if there is no such user; every other failure is thrown.
    public func find(_ id: String) async throws -> User? {
        do {
            return try await sender.send(.user(id))
        } catch let error as NetKitError where error.status == .notFound {
            return nil
        }
    }

    /// Returns the action after a failure, as a service decides it.
    public static func advice(for error: any Error) -> String {
        guard let error = error as? NetKitError else { return "cancelled" }
        switch error.code {
        case .timeout, .connect, .dns, .connectionLost:
            return error.outcome == .notSent ? "send again" : "look first"
        case .server:
            return "responded with \(error.status?.code ?? 0)"
        case .decoding:
            return "wrong at \(error.codingPath ?? "?")"
        default:
            return "\(error.code)"
        }
    }
}
