import Foundation
import NetKit

extension ConformanceCase {
    static let methodCases: [ConformanceCase] =
        [HTTPMethod.get, .head, .post, .put, .patch, .delete, .options].map { method in
            methodCase(method.rawValue.lowercased(), method)
        } + [methodCase("custom", "PURGE-2"), methodCase("custom-lowercase", "purge"), methodCase("lowercase", "get")]

    private static func methodCase(_ name: String, _ method: HTTPMethod) -> ConformanceCase {
        Self("method.\(name)", .methods, "\(method) arrives as it is, without a body.") { trial in
            trial.server.on(nil, "/", .text("done"))
            let response = try await trial.send(HTTPRequest(method, "/"))
            try await expect(response, 200, method == .head ? "" : "done")
            try expect("methods", trial.server.requests.map(\.method), is: [method])
            try expect("body", trial.server.requests.map(\.body), is: [Data()])
            let lengths = trial.server.requests.flatMap { $0.headers.values(of: "Content-Length") }
            try expect("no length but 0", lengths.allSatisfy { $0 == "0" }, seen: "\(lengths)")
        }
    }
}
