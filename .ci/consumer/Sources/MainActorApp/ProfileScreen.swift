import NetKit

/// A screen: state on the main actor, calls from it.
public final class ProfileScreen {
    public private(set) var profile: Profile?
    public private(set) var message = ""
    public private(set) var feed: [String] = []
    private let sender: any RequestSending
    private var call: CallID?

    public init(_ sender: any RequestSending) {
        self.sender = sender
    }

    public func load(_ id: Int) async {
        do {
            profile = try await sender.send(.profile(id))
            message = ""
        } catch let error as NetKitError where error.code == .timeout {
            message = "slow"
        } catch let error as NetKitError {
            message = "\(error.code)"
        } catch {
            message = "cancelled"
        }
    }

    public func loadInTime(_ id: Int, _ budget: Duration) async throws {
        profile = try await withDeadline(budget) { [sender] in try await sender.send(.profile(id)) }
    }

    public func rename(_ nickname: String) async throws {
        guard var profile else { return }
        profile.nickname = nickname
        self.profile = try await sender.send(.save(profile))
    }

    public func remove() async throws {
        guard let profile else { return }
        try await sender.send(.deleteProfile(profile.id))
        let nothing: Void = try await sender.send(.delete("/profiles/\(profile.id)/cache"))
        self.profile = nil
        message = "removed\(nothing)"
    }

    public func loadFeed() async throws {
        for try await line in try await sender.send(HTTPRequest(.get, "/feed")).body.lines {
            feed.append(line)
        }
    }

    public func loadCancellable(_ id: Int, with client: HTTPClient) async {
        let callID = CallID()
        call = callID
        do {
            profile = try await client.send(.profile(id), options: .init(id: callID))
        } catch {
            message = error is CancellationError ? "cancelled" : "\(error)"
        }
    }

    public func cancel(in client: HTTPClient) -> Bool {
        call.map { client.cancel($0) } ?? false
    }

    public func exchange(_ file: URL, with client: HTTPClient, savingTo target: URL) async throws -> [HTTPStatus] {
        let up = try await client.upload(file, to: "/pictures")
        let down = try await client.download("/pictures/1", to: target)
        return [up.status, down.status]
    }
}
