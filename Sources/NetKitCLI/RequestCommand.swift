import Foundation
import NetKit

/// `netkit request`: sends one request and shows what came back.
struct RequestCommand {
    let options: RequestOptions
    let output: CommandOutput

    func run() async throws -> ExitCode {
        let client = HTTPClient(configuration: try .fromEnvironment())
        if options.showsExplanation { output.note(client.explain() + "\n") }
        let request = try options.request()
        let response = try await client.send(request, options: CallOptions(timeout: options.timeout))
        showHead(of: response)
        var size: Int64 = 0
        for try await chunk in response.body {
            size += Int64(chunk.count)
            output.data(chunk)
        }
        showTimings(response.timings, size: size)
        await client.shutdown(within: .seconds(1))
        return switch response.status.code {
        case ..<400: .success
        case ..<500: .clientError
        default: .serverError
        }
    }

    private func showHead(of response: HTTPResponse) {
        for hop in response.history { output.note("\(hop.status): \(hop.from) -> \(hop.to)") }
        output.note("\(response.timings.protocolVersion ?? "HTTP") \(response.status)")
        for field in response.headers { output.note("\(field.name): \(field.value)") }
        output.note("")
    }

    private func showTimings(_ timings: ExchangeTimings, size: Int64) {
        let known: [(String, Duration?)] = [
            ("name", timings.nameResolved), ("connected", timings.connected), ("secured", timings.secured),
            ("first byte", timings.firstByte), ("exchange", timings.total),
        ]
        let parts = known.compactMap { name, value in value.map { "\(name) \(milliseconds($0))" } }
        output.note("\n\(size) bytes; \(parts.joined(separator: ", "))")
    }

    private func milliseconds(_ duration: Duration) -> String {
        duration.formatted(
            .units(allowed: [.seconds, .milliseconds], width: .narrow, fractionalPart: .show(length: 1))
        )
    }
}
