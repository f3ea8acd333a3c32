import NetKit
import Testing

struct ClockAlarmTests {
    private let events = Notebook<String>()

    private func makeAlarm() -> ClockAlarm {
        ClockAlarm { [events] in
            events.add("fired")
        } onCancel: { [events] in
            events.add("cancelled")
        }
    }

    @Test func firesOnce() {
        let alarm = makeAlarm()
        #expect(alarm.isPending)
        alarm.fire()
        alarm.fire()
        #expect(!alarm.isPending)
        #expect(events.entries == ["fired"])
    }

    /// An alarm that was asked for often used to overflow the stack when it fired.
    @Test func mayBeAskedOften() {
        let alarm = makeAlarm()
        #expect((0..<100_000).allSatisfy { _ in alarm.isPending })
        alarm.fire()
        #expect(events.entries == ["fired"])
    }

    @Test func isCancelledOnceAndThenSilent() {
        let alarm = makeAlarm()
        alarm.cancel()
        alarm.cancel()
        alarm.fire()
        #expect(!alarm.isPending)
        #expect(events.entries == ["cancelled"])
    }

    @Test func cannotBeCancelledAfterItFired() {
        let alarm = makeAlarm()
        alarm.fire()
        alarm.cancel()
        #expect(events.entries == ["fired"])
    }

    @Test func mayBeTouchedFromItsOwnAction() {
        let stored = Locked<ClockAlarm?>(nil)
        let alarm = ClockAlarm { [events] in
            let itself = stored.withLock { $0 }
            itself?.cancel()
            itself?.fire()
            events.add("fired")
        }
        stored.withLock { $0 = alarm }
        alarm.fire()
        stored.withLock { $0 = nil }
        #expect(events.entries == ["fired"])
    }

    @Test func letsItsActionGoWhenItIsCancelled() {
        weak var held: Notebook<String>?
        let alarm: ClockAlarm
        do {
            let notebook = Notebook<String>()
            held = notebook
            alarm = ClockAlarm { notebook.add("fired") }
        }
        #expect(held != nil)
        alarm.cancel()
        #expect(held == nil)
    }

    @Test func endsOnceWhenManyFireAndCancelAtTheSameTime() async {
        let alarm = makeAlarm()
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<64 { group.addTask { index.isMultiple(of: 2) ? alarm.fire() : alarm.cancel() } }
        }
        #expect(events.count == 1)
    }
}
