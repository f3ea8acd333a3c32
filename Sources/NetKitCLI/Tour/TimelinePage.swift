import Foundation
import NetKit

/// A web page with a timeline of calls and their attempts, with a part for each step of the tour.
struct TimelinePage {
    /// A step of the tour.
    struct Step: Sendable {
        let title: String
        let start: NetKitClock.Instant
    }

    private struct Bar {
        let start: Double
        let end: Double
        let kind: String
        let text: String
    }

    private struct Call {
        var name = ""
        var status = "did not end"
        var isGood = false
        var bars: [Bar] = []
        var notes: [String] = []

        var start: Double { bars.map(\.start).min() ?? 0 }
        var end: Double { bars.map(\.end).max() ?? 0 }
    }

    private struct Part {
        let title: String
        var calls: [Call]
    }

    private var parts: [Part] = []

    init(_ events: [ClientEvent], _ steps: [Step]) {
        guard let origin = (events.map(\.instant) + steps.map(\.start)).min() else { return }
        func time(_ instant: NetKitClock.Instant) -> Double { origin.duration(to: instant) / .milliseconds(1) }
        var byID: [CallID: Call] = [:]
        var order: [CallID] = []
        for event in events.sorted(by: { $0.instant < $1.instant }) {
            guard let id = event.callID else { continue }
            if byID[id] == nil { order.append(id) }
            Self.add(event, at: time(event.instant), to: &byID[id, default: Call()])
        }
        parts = steps.map { Part(title: $0.title, calls: []) }
        let starts = steps.map { time($0.start) }
        for call in order.compactMap({ byID[$0] }) {
            guard let index = starts.lastIndex(where: { $0 <= call.start }) else { continue }
            parts[index].calls.append(call)
        }
    }

    private static func add(_ event: ClientEvent, at now: Double, to call: inout Call) {
        let start = event.duration.map { now - $0 / .milliseconds(1) } ?? now
        // A failed exchange has a status as well if its response was refused or broke off.
        let failure = event.error as? NetKitError
        let isGood = failure == nil && (event.status?.code ?? 599) < 400
        switch event.kind {
        case .callStarted: call.name = "\(event.method?.rawValue ?? "") \(path(event.url))"
        case .callEnded:
            call.status = failure.map { words($0.code) } ?? event.status?.description ?? "ended"
            call.isGood = isGood
            call.bars.insert(Bar(start: start, end: now, kind: "call", text: "the whole call: \(call.status)"), at: 0)
        case .attemptEnded:
            let result = failure == nil ? event.status?.description : nil
            let text = "attempt \(event.attempt ?? 0): \(result ?? "failed")"
            call.bars.append(Bar(start: start, end: now, kind: isGood ? "good" : "bad", text: text))
        case .retry:
            guard let delay = event.delay else { break }
            let end = now + delay / .milliseconds(1)
            call.bars.append(Bar(start: now, end: end, kind: "wait", text: "waits \(delay.millisecondsText)"))
        case .cache: if let detail = event.detail { call.notes.append("cache: \(detail)") }
        default: break
        }
    }

    /// Returns a code such as `connectionLost` in words.
    private static func words(_ code: NetKitError.Code) -> String {
        "\(code)".reduce(into: "") { $0 += $1.isUppercase ? " \($1.lowercased())" : "\($1)" }
    }

    // MARK: - HTML

    var html: String {
        let count = parts.reduce(0) { $0 + $1.calls.count }
        return """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
            <title>NetKit: timeline of the tour</title>
            <style>
            \(Self.style)
            </style></head><body>
            <h1>Timeline of the tour</h1>
            <p>\(count) calls. Each line is a call. Open one for its attempts.</p>
            <ul class="key"><li><i class="good"></i>attempt that succeeded<li><i class="bad"></i>attempt that failed\
            <li><i class="wait"></i>wait before the next attempt<li><i class="call"></i>the whole call</ul>
            \(parts.filter { !$0.calls.isEmpty }.map(section).joined(separator: "\n"))
            </body></html>

            """
    }

    private func section(_ part: Part) -> String {
        let start = part.calls.map(\.start).min() ?? 0
        let length = max(1, (part.calls.map(\.end).max() ?? 0) - start)
        let ticks = (0...4).map { tick in
            #"<span style="left:\#(tick * 25)%">\#(Self.milliseconds(length * Double(tick) / 4))</span>"#
        }
        return """
            <section><h2>\(Self.escaped(part.title))</h2>
            <div class="lane axis" aria-hidden="true"><span></span><span></span><div class="ticks">\(ticks.joined())</div></div>
            \(part.calls.map { row($0, start, length) }.joined(separator: "\n"))
            </section>
            """
    }

    private func row(_ call: Call, _ start: Double, _ length: Double) -> String {
        let bars = call.bars.map { bar in
            let place =
                "left:\(Self.percent((bar.start - start) / length));width:\(Self.percent((bar.end - bar.start) / length))"
            return #"<i class="bar \#(bar.kind)" style="\#(place)" title="\#(Self.escaped(bar.text))"></i>"#
        }
        // The whole call comes first.
        let ordered = call.bars.prefix(1) + call.bars.dropFirst().sorted { $0.start < $1.start }
        let details = ordered.map { bar in
            let times = "from \(Self.milliseconds(bar.start - start)) for \(Self.milliseconds(bar.end - bar.start))"
            return "<li>\(Self.escaped(bar.text)), \(times)"
        }
        let notes = call.notes.map { "<li>\(Self.escaped($0))" }
        return """
            <details><summary class="lane"><span class="name">\(Self.escaped(call.name))</span>\
            <span class="\(call.isGood ? "well" : "badly")">\(Self.escaped(call.status))</span>\
            <span class="bars">\(bars.joined())</span></summary>
            <ul>\((details + notes).joined())</ul></details>
            """
    }

    private static func milliseconds(_ value: Double) -> String {
        value >= 100 ? "\(Int(value.rounded())) ms" : "\((value * 10).rounded() / 10) ms"
    }

    private static func percent(_ share: Double) -> String {
        "\((max(0, min(1, share)) * 10_000).rounded() / 100)%"
    }

    private static func path(_ url: String?) -> String {
        guard let url, let parts = URL(string: url) else { return url ?? "" }
        return parts.path(percentEncoded: false)
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
    }

    /// The style, with colors that can be read on light and dark grounds.
    private static let style = """
        :root { color-scheme: light dark; font: 15px/1.4 system-ui, sans-serif; --ground: #fff; --text: #1b1f24; --line: #d5dae0;
          --good: #1a7f4b; --bad: #b93226; --wait: #8a5d00; --call: #c3cad3 }
        @media (prefers-color-scheme: dark) { :root { --ground: #16181d; --text: #e6e8eb; --line: #343a44;
          --good: #45b987; --bad: #f27e76; --wait: #d9a441; --call: #4b5361 } }
        body { margin: 1.5em auto; padding: 0 1em; max-width: 1500px; background: var(--ground); color: var(--text) }
        h1 { font-size: 1.5em } h2 { font-size: 1.1em; margin: 1.8em 0 .3em }
        .key { display: flex; flex-wrap: wrap; gap: .2em 1.4em; padding: 0; list-style: none }
        .key i { display: inline-block; width: 1.2em; height: .7em; margin-right: .4em; border-radius: 2px }
        .lane { display: grid; grid-template-columns: minmax(0, 14em) minmax(0, 13em) minmax(0, 1fr); gap: 0 1em; align-items: center }
        details { border-bottom: 1px solid var(--line) } summary { padding: .25em 0; cursor: pointer; list-style: none }
        summary:focus-visible { outline: 2px solid var(--wait); outline-offset: 2px } summary:hover { background: var(--line) }
        summary::-webkit-details-marker { display: none }
        .name { font-family: ui-monospace, monospace; overflow-wrap: anywhere }
        .name::before { content: "+ " } details[open] .name::before { content: "\u{2212} " }
        .well { color: var(--good) } .badly { color: var(--bad) }
        .bars { position: relative; display: block; height: 1.4em }
        .bar { position: absolute; top: .35em; height: .7em; min-width: 3px; border-radius: 2px }
        .good { background: var(--good) } .bad { background: var(--bad) }
        .wait { background: var(--wait) } .bar.wait { top: .6em; height: .2em } .call { background: var(--call) }
        .bar.call { top: .15em; height: 1.1em }
        .ticks { position: relative; height: 1.3em; font-size: .8em; border-bottom: 1px solid var(--text) }
        .ticks span { position: absolute; white-space: nowrap; transform: translateX(-50%) } .ticks span:first-child { transform: none }
        .ticks span:last-child { transform: translateX(-100%) }
        details ul { margin: .2em 0 .6em; overflow-wrap: anywhere }
        @media (max-width: 700px) { .lane { grid-template-columns: minmax(0, 1fr) auto } .bars, .ticks { grid-column: 1 / -1 }
          .axis > span { display: none } .ticks span:nth-child(even) { display: none } }
        """
}
