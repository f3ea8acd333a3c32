import Foundation
import NetKitTesting
import Testing

@testable import NetKit

@Suite(.timeLimit(.minutes(5)))
struct OfflineQueueTests {
    @Test func sendsInOrderAndSaysSo() async throws {
        let sender = ScriptedSender()
        let queue = try await OfflineQueue.testing(nil)
        let events = queue.events
        for number in 1...5 { try await queue.enqueue(.post("/\(number)")) }
        #expect(await queue.pendingCount == 5)
        await queue.attach(sender)
        await events.wait(5, .delivered)
        #expect(sender.paths == ["/1", "/2", "/3", "/4", "/5"])
        #expect(await queue.pendingCount == 0)
        #expect(Set(sender.sent.entries.compactMap(\.key)).count == 5)
    }

    @Test(arguments: [Duration.zero, .seconds(-1)], ["refreshInterval", "unauthorizedPause", "timeout"])
    func aTimeOfZeroOrLessIsRefused(_ time: Duration, _ name: String) async {
        let error = await #expect(throws: NetKitError.self) {
            try await OfflineQueue.testing(nil) {
                switch name {
                case "refreshInterval": $0.refreshInterval = time
                case "unauthorizedPause": $0.unauthorizedPause = time
                default: $0.timeout = time
                }
            }
        }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("\(name) is \(time.shortText)") == true)
    }

    @Test func anEntryThatComesWhileConnectedIsSentAtOnce() async throws {
        let sender = ScriptedSender()
        let queue = try await OfflineQueue.testing(sender)
        let events = queue.events
        let receipt = try await queue.enqueue(.post("/1"))
        let event = try #require(await events.first(.delivered))
        #expect(event.id == receipt.id)
        #expect(event.response?.status == 204)
        #expect(sender.sent.entries.first?.key == receipt.idempotencyKey)
    }

    @Test func aFailedEntryIsSentAgainUnderTheSameKey() async throws {
        let time = TestClock()
        let sender = ScriptedSender(statuses: 503, 500, 204)
        let queue = try await OfflineQueue.testing(sender, time)
        let events = queue.events
        try await queue.enqueue(.post("/1"))
        for (wait, retries) in [(1.0, 1), (2.0, 2)] {
            let event = try #require(await events.first(.postponed))
            #expect(event.retryCount == retries)
            #expect(event.date == time.date.addingTimeInterval(wait))
            await time.waitForAlarms(1)
            // To the alarm and not past it, because the decision about the entry may be made while the clock still
            // moves.
            time.advance(by: try #require(time.timeToNext))
        }
        _ = await events.first(.delivered)
        #expect(sender.paths.count == 3)
        #expect(Set(sender.sent.entries.map(\.key)).count == 1)
        #expect(sender.sent.entries.map(\.replay?.attempt) == [1, 2, 3])
    }

    @Test func decorrelatedWaitsGrowWithTheOnesBefore() async throws {
        let time = TestClock()
        let queue = try await OfflineQueue.testing(ScriptedSender(statuses: 503, 503, 204), time) {
            $0.policy.backoffStrategy = .decorrelated(base: .seconds(1), cap: .seconds(100))
            $0.random = RandomSource { 3 << 62 }
        }
        let events = queue.events
        try await queue.enqueue(.post("/1"))
        for wait in [2.5, 5.875] {
            let event = try #require(await events.first(.postponed))
            #expect(event.date == time.date.addingTimeInterval(wait))
            await time.waitForAlarms(1)
            time.advance(by: try #require(time.timeToNext))
        }
        #expect(await events.first(.delivered) != nil)
    }

    @Test func entriesWaitWhileOfflineAndAreSentAfterwards() async throws {
        let sender = ScriptedSender()
        let monitor = ManualNetworkMonitor(isConnected: false)
        let queue = try await OfflineQueue.testing(sender, monitor: monitor)
        let events = queue.events
        for number in 1...3 { try await queue.enqueue(.post("/\(number)")) }
        await queue.processQueue()
        #expect(sender.paths == [])
        monitor.set(isConnected: true)
        await events.wait(3, .delivered)
        #expect(sender.paths == ["/1", "/2", "/3"])
    }

    @Test func daysOfflineCostNoAttempt() async throws {
        let time = TestClock()
        let isBack = Flag()
        let sender = ScriptedSender { _ in
            if !isBack.isSet { throw NetKitError(.offline, "There is no network.") }
            return HTTPResponse(status: 204)
        }
        let queue = try await OfflineQueue.testing(sender, time)
        let events = queue.events
        var request = QueuedRequest.post("/1")
        request.maxAttempts = 2
        try await queue.enqueue(request)
        for hour in 1...50 {
            let event = try #require(await events.first(.postponed))
            #expect(event.retryCount == 0)
            await time.waitForAlarms(1)
            if hour == 50 { isBack.set() }
            time.advance(by: .seconds(3600))
        }
        _ = await events.first(.delivered)
        #expect(await queue.deadLetters.isEmpty)
    }

    @Test func whenTheNetworkReturnsNoEntryWaitsForTheBackoff() async throws {
        let monitor = ManualNetworkMonitor(isConnected: true)
        let isBack = Flag()
        let sender = ScriptedSender { _ in
            guard isBack.isSet else { throw NetKitError(.offline, "There is no network.") }
            return HTTPResponse(status: 204)
        }
        let queue = try await OfflineQueue.testing(sender, monitor: monitor)
        let events = queue.events
        try await queue.enqueue(.post("/1"))
        _ = await events.first(.postponed)
        monitor.set(isConnected: false)
        isBack.set()
        monitor.set(isConnected: true)
        #expect(await events.first(.delivered) != nil)
    }

    @Test func aRefusedEntryKeepsItsResponseAndDelaysNoOther() async throws {
        let sender = ScriptedSender { sent in
            guard sent.path == "/bad" else { return HTTPResponse(status: 204) }
            let headers: HTTPHeaders = ["X-Why": "because", "Set-Cookie": "a=1"]
            return HTTPResponse(status: 422, headers: headers, body: ResponseBody(Data("wrong".utf8)))
        }
        let queue = try await OfflineQueue.testing(sender)
        let events = queue.events
        let bad = try await queue.enqueue(.post("/bad"))
        try await queue.enqueue(.post("/good"))
        _ = await events.first(.delivered)
        let letter = try #require(await queue.deadLetters.first)
        #expect(letter.id == bad.id)
        #expect(letter.reason == .refused)
        #expect(letter.response?.status == 422)
        #expect(letter.response?.body == Data("wrong".utf8))
        #expect(letter.response?.headers["X-Why"] == "because")
        #expect(letter.response?.headers.contains("Set-Cookie") == false)
        #expect(await queue.pendingCount == 0)
    }

    @Test func aDeadLetterIsSentAgainUnderItsKey() async throws {
        let sender = ScriptedSender(statuses: 400, 204)
        let queue = try await OfflineQueue.testing(sender)
        let events = queue.events
        let receipt = try await queue.enqueue(.post("/1"))
        _ = await events.first(.deadLettered)
        try await queue.retry(receipt.id)
        _ = await events.first(.delivered)
        #expect(Set(sender.sent.entries.map(\.key)) == [receipt.idempotencyKey])
    }

    @Test func attemptsThatAreUsedUpMakeADeadLetter() async throws {
        let time = TestClock()
        let queue = try await OfflineQueue.testing(ScriptedSender(statuses: 503), time)
        let events = queue.events
        var request = QueuedRequest.post("/1")
        request.maxAttempts = 2
        try await queue.enqueue(request)
        _ = await events.first(.postponed)
        await time.waitForAlarms(1)
        time.advance(by: .seconds(2))
        _ = await events.first(.deadLettered)
        let letter = try #require(await queue.deadLetters.first)
        #expect(letter.reason == .attemptsUsedUp)
        #expect(letter.request.retryCount == 2)
    }

    @Test func anExpiredEntryIsADeadLetterThatCanStillBeSent() async throws {
        let time = TestClock()
        let sender = ScriptedSender()
        let monitor = ManualNetworkMonitor(isConnected: false)
        let queue = try await OfflineQueue.testing(sender, time, monitor: monitor)
        let events = queue.events
        var request = QueuedRequest.post("/1")
        request.expiresAt = time.date.addingTimeInterval(10)
        try await queue.enqueue(request)
        await time.waitForAlarms(1)
        time.advance(by: .seconds(11))
        _ = await events.first(.expired)
        #expect(await queue.deadLetters.map(\.reason) == [.expired])
        try await queue.retry(request.id)
        monitor.set(isConnected: true)
        _ = await events.first(.delivered)
        #expect(sender.paths == ["/1"])
    }

    @Test func aRefusedCredentialHoldsItsLaneUpUntilThereIsANewOne() async throws {
        let sender = ScriptedSender(statuses: 401, 204, 401, 204)
        let time = TestClock()
        let queue = try await OfflineQueue.testing(sender, time)
        let events = queue.events
        try await queue.enqueue(.post("/1"))
        let pause = try #require(await events.first(.lanePaused))
        #expect(pause.lane == "default")
        #expect(pause.date == time.date.addingTimeInterval(900))
        #expect(await queue.pausedLanes == ["default"])
        await queue.resumeUnauthorizedLanes()
        _ = await events.first(.delivered)
        try await queue.enqueue(.post("/2"))
        _ = await events.first(.lanePaused)
        await time.waitForAlarms(1)
        time.advance(by: .seconds(901))
        _ = await events.first(.delivered)
        #expect(await queue.pausedLanes.isEmpty)
        #expect(sender.sent.entries.map(\.replay?.attempt) == [1, 1, 1, 1])
    }

    @Test func aPausedLaneIsPassedBy() async throws {
        let sender = ScriptedSender()
        let queue = try await OfflineQueue.testing(sender)
        let events = queue.events
        await queue.pause(lane: "a")
        try await queue.enqueue(.post("/a", lane: "a"))
        try await queue.enqueue(.post("/b", lane: "b"))
        _ = await events.first(.delivered)
        #expect(sender.paths == ["/b"])
        await queue.resume(lane: "a")
        _ = await events.first(.delivered)
        #expect(sender.paths == ["/b", "/a"])
    }

    @Test func aLaneThatWasPausedStaysPausedIfACredentialIsRefused() async throws {
        let time = TestClock()
        let box = Locked<OfflineQueue?>(nil)
        let sender = ScriptedSender { _ in
            if let queue = box.withLock({ $0 }) { await queue.pause(lane: "default") }
            return HTTPResponse(status: 401)
        }
        let queue = try await OfflineQueue.testing(nil, time)
        box.withLock { $0 = queue }
        try await queue.enqueue(.post("/1"))
        await queue.attach(sender)
        await queue.processQueue()
        #expect(sender.paths == ["/1"])
        time.advance(by: .seconds(901))
        await queue.resumeUnauthorizedLanes()
        await queue.processQueue()
        #expect(await queue.pausedLanes == ["default"])
        #expect(sender.paths == ["/1"])
        box.withLock { $0 = nil }
        await queue.close()
    }

    // MARK: Task-local values

    /// The attempts do not inherit task-local values of the tasks that open the queue, add an entry or process the
    /// queue.
    @Test func anAttemptDoesNotInheritTaskLocalValuesOfTheCallThatWakesTheQueue() async throws {
        let seen = Notebook<String>()
        let sender = ScriptedSender { _ in
            if InheritedDeadline.current != nil { seen.add("deadline") }
            if TraceContext.current != nil { seen.add("trace") }
            return HTTPResponse(status: 204)
        }
        let time = TestClock()
        let monitor = ManualNetworkMonitor(isConnected: false)
        let trace = TraceContext()
        let queue = try await TraceContext.$current.withValue(trace) {
            try await withDeadline(.seconds(60), clock: time.clock) {
                try await OfflineQueue.testing(sender, time, monitor: monitor)
            }
        }
        let events = queue.events
        try await queue.enqueue(.post("/1"))
        monitor.set(isConnected: true)
        _ = await events.first(.delivered)
        try await TraceContext.$current.withValue(trace) {
            try await withDeadline(.seconds(60), clock: time.clock) {
                for path in ["/2", "/3"] { try await queue.enqueue(.post(path)) }
                await queue.processQueue()
            }
        }
        #expect(sender.paths == ["/1", "/2", "/3"])
        #expect(seen.entries == [])
        await queue.close()
    }

    // MARK: Processing

    /// A large body would otherwise end at the limit of the client, however long the queue lets it take.
    @Test(arguments: [nil, .seconds(600)] as [Duration?])
    func theLimitOfTheQueueReplacesTheAttemptLimitOfTheClient(timeout: Duration?) async throws {
        let (time, seen) = (TestClock(), Notebook<Timeouts>())
        let transport = MockTransport { _, context in
            seen.add(context.timeouts)
            return HTTPResponse(status: 204)
        }
        let queue = try await OfflineQueue.testing(nil, time) { $0.timeout = timeout }
        try await queue.enqueue(.post("/orders"))
        await queue.attach(HTTPClient.testing(transport, time: time, timeouts: .standard))
        await queue.processQueue()
        #expect(seen.entries.map(\.attempt) == [timeout == nil ? Timeouts.standard.attempt : nil])
        #expect(seen.entries.map(\.idle) == [Timeouts.standard.idle])
        await queue.close()
    }

    @Test func howeverManyProcessEachEntryIsSentOnce() async throws {
        let sender = ScriptedSender()
        let monitor = ManualNetworkMonitor(isConnected: false)
        let queue = try await OfflineQueue.testing(sender, monitor: monitor)
        for number in 1...20 { try await queue.enqueue(.post("/\(number)", lane: "\(number % 3)")) }
        monitor.set(isConnected: true)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { await queue.processQueue() } }
        }
        #expect(sender.paths.count == 20)
        #expect(Set(sender.paths).count == 20)
        #expect(await queue.pendingCount == 0)
    }

    @Test func processingDoesNotWaitForEntriesAddedMeanwhile() async throws {
        let box = Locked<OfflineQueue?>(nil)
        let sender = ScriptedSender { _, number in
            // Each entry that is sent adds another, without end.
            if number < 5000, let queue = box.withLock({ $0 }) { try await queue.enqueue(.post("/next", lane: "next")) }
            return HTTPResponse(status: 204)
        }
        let queue = try await OfflineQueue.testing(nil)
        box.withLock { $0 = queue }
        try await queue.enqueue(.post("/1"))
        await queue.attach(sender)
        await queue.processQueue()
        box.withLock { $0 = nil }
        #expect(sender.paths.first == "/1")
        await queue.close()
    }

    @Test func lanesRunSideBySide() async throws {
        let isComplete = Promise<Void>()
        let sender = ScriptedSender { _, number in
            if number == 3 { isComplete.resolve(.success(())) }
            try await isComplete.value()
            return HTTPResponse(status: 204)
        }
        let queue = try await OfflineQueue.testing(sender)
        for lane in ["a", "b", "c"] { try await queue.enqueue(.post("/\(lane)", lane: lane)) }
        // They end only if all three are under way at once.
        await queue.processQueue()
        #expect(await queue.pendingCount == 0)
    }

    /// With less than one, nothing would ever be sent.
    @Test(arguments: [(2, 2.0), (0, 1), (-1, 1)])
    func noMoreLanesAreServedAtOnceThanAreSet(parallelLanes: Int, count: Double) async throws {
        let goOn = Promise<Void>()
        let sender = ScriptedSender(status: 204, began: Promise(), goOn: goOn)
        let queue = try await OfflineQueue.testing(nil) { $0.parallelLanes = parallelLanes }
        for lane in ["a", "b", "c", "d"] { try await queue.enqueue(.post("/\(lane)", lane: lane)) }
        await queue.attach(sender)
        let sample = await queue.metricSamples().first { $0.name == "netkit_queue_active_entries" }
        #expect(sample?.value == count)
        goOn.resolve(.success(()))
        await queue.processQueue()
        #expect(sender.paths.count == 4)
    }

    @Test func reportsHowItStandsNowAndAfterEachChange() async throws {
        let sender = ScriptedSender(statuses: 500, 422)
        let time = TestClock()
        let queue = try await OfflineQueue.testing(nil, time)
        try await queue.enqueue(.post("/1"))
        var reports = queue.reports.makeAsyncIterator()
        #expect(await reports.next()?.pendingCount == 1)
        let events = queue.events
        await queue.attach(sender)
        _ = await events.first(.postponed)
        while let report = await reports.next(), report.lastError == nil {}
        await time.waitForAlarms(1)
        time.advance(by: .seconds(2))
        while let report = await reports.next(), report.deadLetterCount == 0 {}
        await queue.close()
        while await reports.next() != nil {}
    }
}
