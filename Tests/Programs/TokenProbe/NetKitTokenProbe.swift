import Foundation
import NetKit
import NetKitPostgres

/// A process of several that share one token in a file or a database, with many callers.
///
/// It prints the number of tokens that its callers got, and an error for each that got none.
@main
struct NetKitTokenProbe {
    private static let usage =
        "Usage: NetKitTokenProbe <file or URL of a database> <token server> <callers> <milliseconds>\n"

    private struct TokenResponse: Decodable {
        let token: String
        let milliseconds: Int
        let next: String
    }

    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count == 4, let server = URL(string: arguments[1]), let callers = Int(arguments[2]),
            let time = Int(arguments[3])
        else {
            FileHandle.standardError.write(Data(usage.utf8))
            exit(2)
        }
        let client = HTTPClient(baseURL: server)
        let tokens: TokenStore
        do {
            tokens = try await store(arguments[0], client)
        } catch {
            print("ERROR \(error)")
            exit(1)
        }
        let end = ContinuousClock.now + .milliseconds(time)
        let (count, errors) = await withTaskGroup(of: (Int, [String]).self) { group in
            for number in 0..<callers {
                group.addTask {
                    var (count, errors) = (0, [String]())
                    while ContinuousClock.now < end {
                        do {
                            _ = try await tokens.token()
                            count += 1
                        } catch {
                            errors.append("\(error)")
                        }
                        try? await Task.sleep(for: .milliseconds(20 + number % 30))
                    }
                    return (count, errors)
                }
            }
            var (count, errors) = (0, [String]())
            for await part in group {
                count += part.0
                errors += part.1
            }
            return (count, errors)
        }
        for error in errors { print("ERROR \(error)") }
        print("TOKENS \(count)")
        if let problem = tokens.saveProblem { print("ERROR \(problem)") }
    }

    private static func store(_ place: String, _ client: HTTPClient) async throws -> TokenStore {
        guard place.hasPrefix("postgres://") else {
            return store(FileTokenVault(file: URL(fileURLWithPath: place)), client)
        }
        return store(try await Postgres(place).token("probe"), client)
    }

    private static func store(_ vault: some TokenVault, _ client: HTTPClient) -> TokenStore {
        TokenStore(shared: vault, identity: "probe", refreshAhead: .zero) { current in
            let text = current?.refreshToken ?? ""
            let request = HTTPRequest(.post, "/token", body: .text(text))
            let body = try await client.send(request).body.collect(upTo: 1 << 16)
            let response = try JSONDecoder().decode(TokenResponse.self, from: body)
            let lifetime = Duration.milliseconds(response.milliseconds)
            return AccessToken(response.token, expiresIn: lifetime, refreshToken: response.next)
        }
    }
}
