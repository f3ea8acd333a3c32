import Foundation
import NetKit

/// How probes say what they saw.
enum ProbeWords {
    /// An error, with NetKit's word for what the server may have seen.
    static func thrown(_ error: any Error) -> String {
        guard let error = error as? NetKitError else { return "threw \(ErrorText.short(error))" }
        return "threw \(ErrorText.short(error)), \(error.outcome)"
    }

    /// Runs something and says what came of it and when.
    static func timed(_ body: () async throws -> ProbeAnswer) async -> String {
        let start = ContinuousClock.now
        let words: String
        do { words = try await body().words } catch { words = thrown(error) }
        return "\(words) after \(NumberText.seconds(start.duration(to: .now).seconds))"
    }

    /// Runs something and says what came of it.
    static func outcome(_ body: () async throws -> ProbeAnswer) async -> String {
        do { return try await body().words } catch { return thrown(error) }
    }

    /// How often something came of several calls.
    static func counted(_ words: [String]) -> String {
        var counts: [String: Int] = [:]
        for word in words { counts[word, default: 0] += 1 }
        return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { counts.count == 1 && $0.value == 1 ? $0.key : "\(NumberText.text(Double($0.value))) × \($0.key)" }
            .joined(separator: ", ")
    }

    static func oneLine(_ text: String) -> String {
        String(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : Character($0) })
    }
}
