import Foundation
import NetKit

/// A web page with a timeline of calls and their attempts.
struct TimelinePage {
    private struct Bar {
        let start: Double
        let end: Double
        let kind: String
        let text: String
    }

    private struct Call {
        var name = ""
        var bars: [Bar] = []
        var notes: [String] = []
    }

    private var calls: [Call] = []
    private var length = 1.0

    init(_ events: [ClientEvent]) {
        guard let origin = events.map(\.instant).min() else { return }
        func time(_ instant: NetKitClock.Instant) -> Double { origin.duration(to: instant) / .milliseconds(1) }
        var byID: [CallID: Call] = [:]
        var order: [CallID] = []
        for event in events.sorted(by: { $0.instant < $1.instant }) {
            guard let id = event.callID else { continue }
            if byID[id] == nil { order.append(id) }
            var call = byID[id] ?? Call()
            let now = time(event.instant)
            length = max(length, now)
            let start = event.duration.map { now - $0 / .milliseconds(1) } ?? now
            switch event.kind {
            case .callStarted:
                call.name = "\(event.method?.rawValue ?? "") \(Self.path(event.url))"
            case .callEnded:
                let text = event.status?.description ?? (event.error as? NetKitError).map { "\($0.code)" } ?? "ended"
                call.bars.insert(Bar(start: start, end: now, kind: "call", text: text), at: 0)
            case .attemptEnded:
                let isGood = (event.status?.code ?? 599) < 400
                let text = "attempt \(event.attempt ?? 0): \(event.status?.description ?? "failed")"
                call.bars.append(Bar(start: start, end: now, kind: isGood ? "good" : "bad", text: text))
            case .retry:
                guard let delay = event.delay else { break }
                let end = now + delay / .milliseconds(1)
                call.bars.append(Bar(start: now, end: end, kind: "wait", text: "waits \(delay.millisecondsText)"))
            case .cache: call.notes.append(event.detail ?? "")
            default: break
            }
            byID[id] = call
        }
        calls = order.compactMap { byID[$0] }
    }

    var html: String {
        let rows = calls.map(row).joined(separator: "\n")
        return """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><title>NetKit: timeline of the tour</title>
            <style>
            :root { color-scheme: light dark; font: 14px system-ui, sans-serif }
            body { margin: 2em }
            .row { display: grid; grid-template-columns: 22em 1fr; gap: 1em; padding: 3px 0; border-bottom: 1px solid #8883 }
            .name { font-family: ui-monospace, monospace; overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
            .bars { position: relative; height: 22px }
            .bar { position: absolute; top: 5px; height: 12px; min-width: 2px; border-radius: 2px }
            .call { top: 2px; height: 18px; background: #8883 }
            .good { background: #2e9e5b } .bad { background: #d9534f } .wait { background: #e0a800; height: 4px; top: 9px }
            .key span { display: inline-block; padding: 0 .6em; margin-right: .6em; border-radius: 2px; color: #fff }
            small { color: #888 }
            </style></head><body>
            <h1>Timeline of the tour</h1>
            <p class="key"><span class="good">succeeded</span><span class="bad">failed or rejected</span>\
            <span class="wait" style="height:auto">waits before the next attempt</span>
            \(calls.count) calls in \(Int(length)) ms. Grey is the whole call. Hover over a bar for details.</p>
            \(rows)
            </body></html>

            """
    }

    private func row(_ call: Call) -> String {
        let bars = call.bars.map { bar in
            let left = Self.percent(bar.start / length)
            let width = Self.percent((bar.end - bar.start) / length)
            return
                #"<div class="bar \#(bar.kind)" style="left:\#(left);width:\#(width)" title="\#(Self.escaped(bar.text))">"#
                + "</div>"
        }
        let notes = call.notes.isEmpty ? "" : " <small>\(Self.escaped(call.notes.joined(separator: "; ")))</small>"
        return #"<div class="row"><div class="name">\#(Self.escaped(call.name))\#(notes)</div>"#
            + #"<div class="bars">\#(bars.joined())</div></div>"#
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
}
