import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Makes one call with Foundation's own client. Its binary is what `NetKitCall` is compared with.
@main
struct FoundationCall {
    static func main() async throws {
        let url = URL(string: CommandLine.arguments.last ?? "")
        if let url { print(try await URLSession.shared.data(from: url).0.count) }
    }
}
