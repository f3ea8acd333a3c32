import NetKit

/// Makes the call of `FoundationCall` with NetKit.
@main
struct NetKitCall {
    static func main() async throws {
        let url = URL(string: CommandLine.arguments.last ?? "")
        if let url { print(try await HTTPClient().data(from: url).0.count) }
    }
}
