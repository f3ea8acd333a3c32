import Foundation
import NetKit

/// Responds to each line with a line, concurrently.
struct Bridge {
    private static let maxBodyBytes = 64 << 20

    /// Writes one line after the other, because a pipe takes a long one in pieces.
    private static let output = Locked(FileHandle.standardOutput)

    private let client: HTTPClient

    init(_ client: HTTPClient) {
        self.client = client
    }

    func run(_ lines: AsyncStream<String>) async {
        let client = client
        await withDiscardingTaskGroup { group in
            for await line in lines where !line.isEmpty {
                group.addTask { Self.write(await Self.response(to: line, client)) }
            }
        }
    }

    private static func response(to line: String, _ client: HTTPClient) async -> Data {
        let exchange: BridgeExchange
        do {
            exchange = try BridgeExchange(line)
        } catch {
            return BridgeExchange.failure(of: line, "\(error)")
        }
        do {
            let options = CallOptions(cachePolicy: exchange.policy)
            let response = try await client.send(exchange.request, options: options)
            let body = try await response.body.collect(upTo: maxBodyBytes)
            return exchange.line(response, body)
        } catch let error as NetKitError {
            return exchange.failure("\(error.code): \(error)")
        } catch {
            return exchange.failure("\(error)")
        }
    }

    private static func write(_ line: Data) {
        output.withLock { $0.write(line + Data("\n".utf8)) }
    }
}
