import MainActorApp
import NetKit

/// The same from a module that is on the main actor.
@MainActor
struct AppChecks {
    let checks: Checks

    func run() async throws {
        try await screen()
        try await failures()
        try await cancellation()
        try await files()
        try await doubles()
    }

    private func screen() async throws {
        let transport = MockTransport()
        let ada = Profile(id: 1, nickname: "ada")
        transport.stub(.get, "/profiles/1", .json(ada))
        transport.stub(.put, "/profiles/1", .json(Profile(id: 1, nickname: "countess")))
        transport.stub(.delete, "/profiles/**", .status(204))
        transport.stub(.get, "/feed", .text("one\ntwo\n"))
        let activity = Activity()
        let client = try AppClient.make(transport, activity: activity, environment: ["NETKIT_ATTEMPT_TIMEOUT": "5s"])
        let screen = ProfileScreen(client)
        await screen.load(1)
        checks.equal("a screen loads", screen.profile, ada)
        checks.equal("with the app's header", transport.requests[0].headers["X-Client"], "app")
        try await screen.loadInTime(1, .seconds(10))
        checks.equal("within a deadline", screen.profile, ada)
        try await screen.rename("countess")
        checks.equal("a screen saves", screen.profile?.nickname, "countess")
        try await screen.remove()
        checks.equal("a screen removes", screen.profile, nil)
        checks.equal("each call was counted on the main actor", activity.finished, 5)
        checks.equal("and none is running", activity.running, 0)
        checks.equal("the app's limit", client.configuration.timeouts.attempt, .seconds(5))

        let feed = ProfileScreen(HTTPClient(baseURL: URL(string: "https://app.example.com"), transport: transport))
        try await feed.loadFeed()
        checks.equal("a screen streams", feed.feed, ["one", "two"])
    }

    private func failures() async throws {
        let transport = MockTransport()
        transport.stub(.get, "/profiles/1", .status(500))
        transport.stub(.get, "/profiles/2", .failure(URLError(.timedOut)))
        let screen = ProfileScreen(try AppClient.make(transport, activity: Activity()))
        await screen.load(1)
        checks.equal("a screen shows a failure", screen.message, "server")
        await screen.load(2)
        checks.equal("a screen shows a timeout", screen.message, "slow")
    }

    private func cancellation() async throws {
        let transport = MockTransport()
        transport.stub(.get, "/profiles/1", .stalled)
        let activity = Activity()
        let client = try AppClient.make(transport, activity: activity)
        let screen = ProfileScreen(client)
        let loading = Task { await screen.loadCancellable(1, with: client) }
        await transport.waitForRequests(1)
        checks.equal("a screen cancels", screen.cancel(in: client), true)
        await loading.value
        checks.equal("and learns it", screen.message, "cancelled")
        checks.equal("the spinner stops", activity.running, 0)
    }

    private func files() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "netkit-consumer-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let picture = folder.appending(path: "picture")
        try Data("pixels".utf8).write(to: picture)
        let transport = MockTransport()
        transport.stub(.post, "/pictures", .status(201))
        transport.stub(.get, "/pictures/1", .text("more pixels"))
        let client = HTTPClient(baseURL: URL(string: "https://app.example.com"), transport: transport)
        let target = folder.appending(path: "target")
        let statuses = try await ProfileScreen(client).exchange(picture, with: client, savingTo: target)
        checks.equal("a screen sends and receives files", statuses, [201, 200])
        checks.equal("what it received", try String(contentsOf: target, encoding: .utf8), "more pixels")
    }

    private func doubles() async throws {
        let client = HTTPClient(baseURL: URL(string: "https://app.example.com"), transport: PreviewTransport())
        let preview = ProfileScreen(client)
        await preview.load(1)
        checks.equal("an own transport on the main actor's side", preview.profile?.nickname, "preview")
        let standIn = StandIn(response: #"{"id": 3, "nickname": "bob"}"#)
        let screen = ProfileScreen(standIn)
        await screen.load(3)
        checks.equal("a stand-in on the main actor", screen.profile?.nickname, "bob")
        checks.equal("and what it saw", standIn.requests.count, 1)
    }
}
