import Testing

@testable import NetKit

@Suite(.timeLimit(.minutes(5)))
struct BroadcastTests {
    @Test func everyListenerHearsEveryEventInOrder() async {
        let broadcast = Broadcast<Int>()
        let streams = [broadcast.stream(), broadcast.stream()]
        for event in 1...5 { broadcast.note(event) }
        broadcast.publish()
        for stream in streams {
            var heard: [Int] = []
            for await event in stream.prefix(5) { heard.append(event) }
            #expect(heard == [1, 2, 3, 4, 5])
        }
    }

    @Test func aListenerThatFallsBehindLosesTheOldest() async {
        let broadcast = Broadcast<Int>(maxEvents: 3)
        let stream = broadcast.stream()
        for event in 1...10 {
            broadcast.note(event)
            broadcast.publish()
        }
        var heard: [Int] = []
        for await event in stream.prefix(3) { heard.append(event) }
        #expect(heard == [8, 9, 10])
    }

    @Test func nothingIsKeptWithoutAListener() async {
        let broadcast = Broadcast<Int>()
        broadcast.note(1)
        let stream = broadcast.stream()
        broadcast.note(2)
        broadcast.publish()
        var events = stream.makeAsyncIterator()
        #expect(await events.next() == 2)
    }

    @Test func aListenerThatIsGoneIsForgotten() {
        let broadcast = Broadcast<Int>()
        do {
            let stream = broadcast.stream()
            #expect(broadcast.listenerCount == 1)
            _ = stream
        }
        broadcast.note(1)
        broadcast.publish()
        #expect(broadcast.listenerCount == 0)
    }

    @Test func theStreamEndsWithItsSource() async {
        var broadcast: Broadcast<Int>? = Broadcast<Int>()
        let stream = broadcast?.stream()
        broadcast = nil
        var heard = 0
        if let stream { for await _ in stream { heard += 1 } }
        #expect(heard == 0)
    }

    @Test func aListenerBetweenNoteAndPublishBeginsAfterTheEvent() async {
        let broadcast = Broadcast<Int>()
        let early = broadcast.stream()
        broadcast.note(1)
        let late = broadcast.stream(startingWith: 1)
        broadcast.note(2)
        broadcast.publish()
        broadcast.finish()
        #expect(await Self.all(of: early) == [1, 2])
        #expect(await Self.all(of: late) == [1, 2])
    }

    @Test func aLateListenerGetsOnlyTheFirstEvent() async {
        let broadcast = Broadcast<Int>()
        broadcast.finish()
        #expect(await Self.all(of: broadcast.stream(startingWith: 7)) == [7])
        #expect(broadcast.listenerCount == 0)
    }

    private static func all(of stream: AsyncStream<Int>) async -> [Int] {
        var heard: [Int] = []
        for await event in stream { heard.append(event) }
        return heard
    }

    @Test func manyThreadsKeepOneOrder() async {
        let broadcast = Broadcast<Int>(maxEvents: 4000)
        let stream = broadcast.stream()
        let counter = Shared(0)
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<250 {
                        counter.withLock { count in
                            count += 1
                            broadcast.note(count)
                        }
                        broadcast.publish()
                    }
                }
            }
        }
        var heard: [Int] = []
        for await event in stream.prefix(2000) { heard.append(event) }
        #expect(heard == Array(1...2000))
    }

    @Test func aFunctionIsCalledUntilItSaysNo() {
        let broadcast = Broadcast<Int>()
        let taken = Notebook<Int?>()
        broadcast.forward { event in
            taken.add(event)
            return event.map { $0 < 2 } ?? false
        }
        for event in 1...3 {
            broadcast.note(event)
            broadcast.publish()
        }
        #expect(taken.entries == [1, 2])
        for _ in 0..<2 {
            broadcast.forward { event in
                taken.add(event)
                return false
            }
        }
        #expect(taken.entries == [1, 2, nil])
    }
}
