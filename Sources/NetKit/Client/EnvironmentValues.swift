import Foundation

/// Typed values of environment variables.
///
/// A value that cannot be read is an error that names the variable.
struct EnvironmentValues {
    let values: [String: String]

    /// Reads a duration: `500ms`, `30s`, `2m`, `1h`, a plain number of seconds, or `none`.
    func duration(_ name: String, or fallback: Duration?) throws(NetKitError) -> Duration? {
        guard let text = text(name) else { return fallback }
        if text == "none" { return nil }
        let units: [(suffix: String, seconds: Double)] = [("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600), ("", 1)]
        for unit in units where text.hasSuffix(unit.suffix) {
            guard let number = number(text.dropLast(unit.suffix.count)), number > 0,
                let duration = Duration(clampingSeconds: number * unit.seconds), duration > .zero
            else { break }
            return duration
        }
        throw problem(name, "a duration above zero such as 500ms, 30s, 2m or none")
    }

    /// Reads a number of bytes: `65536`, `64KiB`, `64MiB` or `1GiB`.
    func byteCount(_ name: String, or fallback: Int) throws(NetKitError) -> Int {
        guard let text = text(name) else { return fallback }
        let units: [(suffix: String, bytes: Int)] = [("kib", 1 << 10), ("mib", 1 << 20), ("gib", 1 << 30), ("", 1)]
        for unit in units where text.hasSuffix(unit.suffix) {
            guard let count = Int(digits: text.dropLast(unit.suffix.count)) else { break }
            let (bytes, overflow) = count.multipliedReportingOverflow(by: unit.bytes)
            guard !overflow else { break }
            return bytes
        }
        throw problem(name, "a number of bytes such as 65536, 512KiB or 64MiB")
    }

    func count(_ name: String, or fallback: Int) throws(NetKitError) -> Int {
        guard let text = text(name) else { return fallback }
        guard let count = Int(digits: text) else { throw problem(name, "a whole number from 0") }
        return count
    }

    func flag(_ name: String, or fallback: Bool) throws(NetKitError) -> Bool {
        guard let text = text(name) else { return fallback }
        switch text {
        case "true", "1", "yes", "on": return true
        case "false", "0", "no", "off": return false
        default: throw problem(name, "true or false")
        }
    }

    private func text(_ name: String) -> String? {
        let text = values[name]?.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
        return text?.isEmpty == true ? nil : text
    }

    private func number(_ text: Substring) -> Double? {
        // Only digits and one point: Double would also read "nan", "infinity" and hexadecimal numbers.
        guard !text.isEmpty, text.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }) else { return nil }
        return Double(text)
    }

    private func problem(_ name: String, _ wanted: String) -> NetKitError {
        let text = values[name] ?? ""
        return NetKitError(
            .invalidConfiguration,
            "The environment variable \(name) is \"\(text)\"; it has to be \(wanted)."
        )
    }
}
