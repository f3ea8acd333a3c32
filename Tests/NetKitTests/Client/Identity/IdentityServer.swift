import Foundation
import NetKit
import NetKitTesting

/// A server that issues tokens, and writes into each response the user of the credential.
final class IdentityServer: Sendable {
    private struct State {
        var lastToken = 0
        var revoked: Set<String> = []
        var versions: [String: Int] = [:]
    }

    private let features: IdentityFeatures
    private let random: RandomSource
    private let state = Locked(State())

    init(_ features: IdentityFeatures, random: RandomSource) {
        self.features = features
        self.random = random
    }

    /// The behavior of each host of the server.
    var host: SimulatedHost {
        let response = SimulatedResponse.respond { request, _ in self.response(to: request) }
        let latency = Duration.milliseconds(10)...(.milliseconds(400))
        guard features.contains(.outages) else { return SimulatedHost(latency: latency, response) }
        let failing = SimulatedResponse.sometimes(.stalled, rate: 0.3, otherwise: .reset)
        return SimulatedHost(latency: latency, .sometimes(failing, rate: 0.1, otherwise: response))
    }

    /// Issues a token of a login, made of the login and a number.
    ///
    /// A login is the name of a user, with `.unnamed` after it if the token store was not given that name.
    func token(for login: String) -> String {
        state.withLock { state in
            state.lastToken += 1
            return "\(login).\(state.lastToken)"
        }
    }

    func revoke(_ token: String) {
        state.withLock { _ = $0.revoked.insert(token) }
    }

    /// Returns the user that a token stands for.
    static func user(ofToken token: some StringProtocol) -> String {
        String(token.prefix { $0 != "." })
    }

    /// Returns the login that a token was issued for.
    static func login(ofToken token: String) -> String {
        token.split(separator: ".").dropLast().joined(separator: ".")
    }

    /// Returns the login whose token a request carries.
    static func login(of request: HTTPRequest) -> String? {
        request.headers["Authorization"].flatMap { rest(of: $0, after: "Bearer ") }.map { login(ofToken: String($0)) }
    }

    /// Returns the user whose credential a request carries, or nil if it carries none or a wrong one.
    static func user(of request: HTTPRequest) -> String? {
        guard let text = request.headers["Authorization"] else { return nil }
        if let token = Self.rest(of: text, after: "Bearer ") { return user(ofToken: token) }
        guard let encoded = Self.rest(of: text, after: "Basic "), let data = Data(base64Encoded: String(encoded)) else {
            return nil
        }
        let parts = String(decoding: data, as: UTF8.self).split(separator: ":")
        return parts.last == "right" ? parts.first.map(String.init) : nil
    }

    private static func rest(of text: String, after prefix: String) -> Substring? {
        text.hasPrefix(prefix) ? text.dropFirst(prefix.count) : nil
    }

    private func response(to request: HTTPRequest) -> HTTPResponse {
        let user = Self.user(of: request)
        if isRefused(request) { return HTTPResponse(status: 401, headers: ["Cache-Control": "no-store"]) }
        if features.contains(.outages), random.unitInterval() < 0.3 { return HTTPResponse(status: 503) }
        let parts = request.url.path(percentEncoded: false).split(separator: "/").map(String.init)
        let path = parts.joined(separator: "/")
        guard parts.count == 2 else { return HTTPResponse(status: 404) }
        guard user != nil || parts[0] == "open" else { return HTTPResponse(status: 401) }
        if parts[0] == "moved" { return redirect(parts[1]) }
        let version = state.withLock { state in
            if request.method == .put { state.versions[path, default: 1] += 1 }
            return state.versions[path, default: 1]
        }
        if request.method == .put {
            return HTTPResponse(status: 200, body: ResponseBody(Data("\(user ?? "nobody") wrote".utf8)))
        }
        let life = features.contains(.staleness) ? "max-age=0, stale-while-revalidate=20" : "max-age=30"
        let headers: HTTPHeaders = ["Cache-Control": life, "ETag": "\"\(user ?? "nobody")-\(version)\""]
        if request.headers["If-None-Match"] == headers["ETag"] { return HTTPResponse(status: 304, headers: headers) }
        var text = "\(user ?? "nobody") \(path) \(version)"
        if parts[0] == "notes" {
            let host = request.url.host(percentEncoded: true) ?? ""
            text = #"{"id": "\#(parts[1])", "owner": "\#(user ?? "nobody")", "host": "\#(host)"}"#
        }
        return HTTPResponse(status: 200, headers: headers, body: ResponseBody(Data(text.utf8)))
    }

    /// Whether the token of a request is revoked, which can happen with this request.
    private func isRefused(_ request: HTTPRequest) -> Bool {
        guard let text = request.headers["Authorization"], let token = Self.rest(of: text, after: "Bearer ") else {
            return false
        }
        if features.contains(.expiry), random.unitInterval() < 0.25 { revoke(String(token)) }
        return state.withLock { $0.revoked.contains(String(token)) }
    }

    /// Redirects to the same origin, to one that gets the credential as well, or to one that does not.
    private func redirect(_ number: String) -> HTTPResponse {
        let targets = [
            "/mine/\(number)", "https://files.example.com/mine/\(number)", "https://cdn.example.com/open/\(number)",
        ]
        let target = targets[Int(random.unitInterval() * 3)]
        return HTTPResponse(status: 302, headers: ["Location": target, "Cache-Control": "no-store"])
    }
}
