import Foundation
import NetKit
import NetKitTesting

/// The behavior of users, a function each, and the end of a simulation.
extension IdentityWorld {
    private var duration: Duration { .seconds(6) }
    private var isOver: Bool { simulation.now >= duration }

    /// Lets the users log in, call and log out, then reads back every stored response.
    func run() async throws {
        try await simulation.run { [self] in
            var seats: [Seat] = []
            for number in 0..<clientCount { seats.append(try await makeSeat(number)) }
            await live(seats)
            // Revalidations, retries and hedges end within this time.
            try await simulation.sleep(for: .seconds(20))
            for seat in seats {
                await seat.cache.waitForRefreshes()
                await readBack(from: seat)
            }
            for seat in seats {
                await seat.queue?.close()
                await seat.client.shutdown()
            }
            try await simulation.sleep(for: .seconds(60))
        }
    }

    private func live(_ seats: [Seat]) async {
        await withTaskGroup(of: Void.self) { [self] group in
            for seat in seats {
                group.addTask { await self.comeAndGo(at: seat) }
                if features.contains(.reads) {
                    for _ in 0..<2 { group.addTask { await self.read(at: seat) } }
                }
                if features.contains(.writes) { group.addTask { await self.write(at: seat) } }
                if features.contains(.queue) { group.addTask { await self.defer(at: seat) } }
                if features.contains(.repositories) { group.addTask { await self.readNotes(at: seat) } }
                if features.contains(.sequences) {
                    group.addTask { await self.readPages(at: seat) }
                    group.addTask { await self.readBatches(at: seat) }
                }
            }
            if features.contains(.passwords) { group.addTask { await self.tryPasswords() } }
        }
    }

    /// Users log in and out, with and without a pause between them, or get another token.
    private func comeAndGo(at seat: Seat) async {
        while !isOver {
            await rest(upTo: .milliseconds(900))
            let current = judge.user(of: seat.number)
            switch simulation.random.unitInterval() {
            case ..<0.2: await logOut(at: seat)
            case ..<0.4:
                await logOut(at: seat)
                await logIn(pick(Self.users), at: seat)
            case ..<0.5: await logIn(current ?? pick(Self.users), at: seat)
            default: await logIn(pick(Self.users), at: seat)
            }
        }
    }

    /// Reads with every cache policy; some calls have little time.
    private func read(at seat: Seat) async {
        while !isOver {
            await rest(upTo: .milliseconds(400))
            var request = HTTPRequest(.get, "https://api.example.com/mine/\(pick([0, 1]))")
            if isLucky(0.15) { request = HTTPRequest(.get, "https://api.example.com/open/0") }
            if isLucky(0.05) { request.requiresAuth = false }
            if features.contains(.redirects), isLucky(0.4) {
                request = HTTPRequest(.get, "https://api.example.com/moved/\(pick([0, 1]))")
            }
            await call(
                request,
                at: seat,
                options: CallOptions(
                    timeout: isLucky(0.1) ? .milliseconds(300) : nil,
                    delivery: isLucky(0.8) ? .buffered(upTo: 1000) : .streamed,
                    cachePolicy: pick([nil, nil, nil, nil, .standard, .cacheFirst, .networkFirst, .reload, .noCache])
                )
            )
        }
    }

    private func write(at seat: Seat) async {
        while !isOver {
            await rest(upTo: .milliseconds(600))
            judge.count(.write)
            let request = HTTPRequest(
                .put,
                "https://api.example.com/mine/\(pick([0, 1]))",
                body: .data(Data("new".utf8))
            )
            await call(request, at: seat, options: CallOptions(delivery: .buffered(upTo: 1000)))
        }
    }

    /// Puts writes into the offline queue, at once or only if they cannot be sent.
    private func `defer`(at seat: Seat) async {
        while !isOver, let queue = seat.queue {
            await rest(upTo: .milliseconds(800))
            judge.count(.write)
            var request = HTTPRequest(.put, "https://api.example.com/mine/\(pick([0, 1]))")
            let lane = pick(["one", "two"])
            request.headers[IdentityWire.laneHeader] = lane
            guard isLucky(0.5) else {
                var options = CallOptions(delivery: .buffered(upTo: 1000), idempotencyKey: .automatic)
                options.tags[Deferrable.self] = Deferrable(lane: lane)
                await call(request, at: seat, options: options)
                continue
            }
            let number = judge.begin("the queued PUT \(request.url.path(percentEncoded: true))", at: seat.number)
            request.headers[IdentityWire.header] = "\(number)"
            _ = try? await queue.enqueue(QueuedRequest(request, lane: lane))
        }
    }

    private struct Note: Codable, Identifiable {
        let id: String
        let owner: String
        let host: String
    }

    /// Reads entities of two servers through one cache of values.
    private func readNotes(at seat: Seat) async {
        while !isOver {
            await rest(upTo: .milliseconds(400))
            let repository = RemoteRepository<Note>(
                client: seat.client,
                cache: values,
                path: "/notes",
                policy: pick([.cacheFirst, .networkFirst])
            )
            let number = judge.begin("the note", at: seat.number)
            let note = try? await IdentityMark.$call.withValue(number) { try await repository.get(id: "1") }
            if let note {
                judge.count(.note)
                judge.received(number, responseFor: note.owner)
                if note.host != Self.hosts[seat.number] { judge.note(number, "was read from \(note.host)") }
            }
            judge.end(number)
        }
    }

    /// Reads three pages, with a pause between them.
    private func readPages(at seat: Seat) async {
        while !isOver {
            await rest(upTo: .milliseconds(300))
            let number = judge.begin("the pages", at: seat.number)
            let first = Endpoint<String>.get("https://api.example.com/mine/0", query: ["page": 1])
            let list = seat.client.pages(first) { _, endpoint in
                let page = endpoint.query.items.first?.value.flatMap { Int($0) } ?? 3
                return page < 3 ? endpoint.setting("page", page + 1) : nil
            }
            do {
                try await IdentityMark.$call.withValue(number) {
                    for try await page in list {
                        note(.success(page), of: number)
                        await rest(upTo: .milliseconds(300))
                    }
                }
            } catch {
                note(.failure(error), of: number)
            }
            judge.end(number)
        }
    }

    private func readBatches(at seat: Seat) async {
        while !isOver {
            await rest(upTo: .milliseconds(300))
            let number = judge.begin("the batch", at: seat.number)
            let endpoints = (0..<4).map { Endpoint<String>.get("https://api.example.com/mine/\($0 % 2)") }
            let results = await IdentityMark.$call.withValue(number) {
                await seat.client.sendAll(endpoints, maxConcurrent: 2)
            }
            for result in results { note(result, of: number) }
            judge.end(number)
        }
    }

    /// Checks one of several responses of a call.
    private func note(_ result: Result<String, any Error>, of number: Int) {
        switch result {
        case .success(let text):
            judge.received(number, responseFor: text.split(separator: " ").first.map(String.init))
        case .failure(let error):
            if (error as? NetKitError)?.code == .unauthorized { judge.count(.unauthorized) }
        }
    }

    /// Ada reads with her password, and another reads with a wrong one, through two clients over one store.
    private func tryPasswords() async {
        let clients = ["right", "wrong"].map { password in
            let basic = AuthInterceptor.basic(user: "ada", password: password)
            return makeClient([IdentityMark(), CacheInterceptor(store), basic], host: Self.hosts[0])
        }
        while !isOver {
            await rest(upTo: .milliseconds(900))
            let isAda = isLucky(0.5)
            let number = judge.begin("GET /mine/0 with a password", by: isAda ? "ada" : nil)
            await call(number, HTTPRequest(.get, "/mine/0"), through: clients[isAda ? 0 : 1], CallOptions())
        }
    }

    /// Reads every stored response, first as the user who is logged in, then as each user.
    private func readBack(from seat: Seat) async {
        await readStored(at: seat)
        for user in Self.users {
            await logIn(user, at: seat)
            try? await simulation.sleep(for: .milliseconds(1))
            await readStored(at: seat)
        }
        await logOut(at: seat)
    }

    private func readStored(at seat: Seat) async {
        guard features.contains(.cache) else { return }
        var places = ["api.example.com/mine/0", "api.example.com/mine/1", "api.example.com/open/0"]
        if features.contains(.redirects) {
            places += ["files.example.com/mine/0", "files.example.com/mine/1", "cdn.example.com/open/0"]
        }
        for place in places {
            let number = judge.begin("GET \(place) from the cache", at: seat.number)
            let request = HTTPRequest(.get, RequestPath(raw: "https://\(place)"))
            if await call(number, request, through: seat.client, CallOptions(cachePolicy: .cacheOnly)) {
                judge.count(.readBack)
            }
        }
    }
}
