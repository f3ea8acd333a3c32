import Foundation
import NetKit

/// The words for the observations of probes.
enum ProbeWords {
    /// Returns a text for an error, with the outcome of a NetKit error.
    static func thrown(_ error: any Error) -> String {
        guard let error = error as? NetKitError else { return "threw \(ErrorText.short(error))" }
        return "threw \(ErrorText.short(error)), \(error.outcome)"
    }

    /// Runs a closure, and returns a text with its result and its duration.
    static func timed(_ body: () async throws -> ProbeResponse) async -> String {
        let start = ContinuousClock.now
        let words = await outcome(body)
        return "\(words) after \(NumberText.seconds(start.duration(to: .now).seconds))"
    }

    /// Runs a closure, and returns a text with its result.
    static func outcome(_ body: () async throws -> ProbeResponse) async -> String {
        do { return try await body().words } catch { return thrown(error) }
    }

    /// Returns the number of calls by result.
    static func counted(_ words: [String]) -> String {
        if let word = words.first, words.count == 1 { return word }
        return NumberText.counts(words.reduce(into: [:]) { $0[$1, default: 0] += 1 })
    }

    /// Runs a closure that returns a text, and measures it.
    static func measured(_ body: () async -> String) async -> (words: String, measurement: Measurement) {
        var words = ""
        let measurement = await Measurement.withMemory {
            await Measurement.of(calls: 1) { words = await body() }
        }
        return (words, measurement)
    }

    /// Returns a text with the growth of memory.
    static func memory(_ measurement: Measurement) -> String {
        "memory grew by \(measurement.memoryGrowth.map { NumberText.bytes(Double($0)) } ?? "an unknown amount")"
    }

    static func oneLine(_ text: String) -> String {
        String(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : Character($0) })
    }
}
