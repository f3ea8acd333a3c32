import CNetKitPostgres
import Foundation
import NetKit

/// The parameters of a connection as libpq works them out from a URL, the environment, a service file and a password
/// file, and the few that NetKit adds.
struct ConnectionSettings: Sendable {
    /// A possible address of the server.
    struct Target: Sendable, Hashable {
        /// The host's name, or the folder of a Unix domain socket; `nil` for the one that libpq knows.
        var host: String?
        var address: String?
        var port: String?

        /// The name that has to be looked up before a connection is made.
        var unresolvedName: String? {
            guard address == nil, let host, !host.isEmpty, !host.hasPrefix("/"), !host.hasPrefix("@") else {
                return nil
            }
            return host
        }
    }

    /// The URL or the list of parameters; `nil` if everything comes from the environment.
    let text: String?
    let targets: [Target]
    /// The parameters that no source sets.
    let additions: [String: String]
    /// The mode of encryption that some source sets, or libpq's own.
    let sslMode: String?
    let encryption: Postgres.Encryption
    /// The time limit for one target that the user sets.
    let connectTimeout: Duration?

    /// Reads the settings; what cannot be read is an error of the code `.invalidConfiguration`.
    ///
    /// Without a URL, the variable `DATABASE_URL` counts, and without that everything that libpq reads. libpq reads its
    /// own variables from the process.
    init(_ url: String?, encryption: Postgres.Encryption, library: PostgresLibrary) throws {
        let common = ProcessInfo.processInfo.environment["DATABASE_URL"]
        text = [url, common].compactMap { $0?.trimmingCharacters(in: .whitespacesAndNewlines) }
            .first { !$0.isEmpty }
        self.encryption = encryption
        let values = try Self.expand(text, library)
        // libpq would show it, and it may be a part of a password.
        guard values["port"]?.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == "," || $0 == " ") }) ?? true else {
            throw NetKitError(.invalidConfiguration, "The port of the database is not a number. \(Self.form)")
        }
        sslMode = values["sslmode"]
        targets = Self.targets(host: values["host"], address: values["hostaddr"], port: values["port"])
        connectTimeout = values["connect_timeout"].flatMap { Int64($0) }.flatMap { $0 > 0 ? .seconds($0) : nil }
        additions = Self.additions(to: values)
    }

    /// Returns the parameters that NetKit adds to the ones that are set.
    ///
    /// Only the name and the encoding go to the server when a connection begins, because poolers refuse other
    /// parameters.
    static func additions(to values: [String: String]) -> [String: String] {
        // Without it, texts have the encoding of the database, or one that is set for the role.
        var added = ["fallback_application_name": "netkit", "client_encoding": "UTF8"]
        let standard = [
            "tcp_user_timeout": "10000", "keepalives_idle": "10", "keepalives_interval": "5", "keepalives_count": "3",
        ]
        for (name, value) in standard where values[name] == nil { added[name] = value }
        // The values that libpq has for these if nothing else sets them.
        if [nil, "any"].contains(values["target_session_attrs"]) { added["target_session_attrs"] = "read-write" }
        if [nil, "prefer"].contains(values["gssencmode"]) { added["gssencmode"] = "disable" }
        return added
    }

    /// Returns the mode of encryption that replaces another one for a target; `nil` if that one stays.
    ///
    /// The modes `prefer` and `allow` drop encryption if an attacker asks them to, so they count as nothing.
    static func encryptionMode(_ encryption: Postgres.Encryption, of target: Target, given mode: String?) -> String? {
        switch encryption {
        case .fromConnectionString: nil
        case .verified: mode == "verify-full" ? nil : "verify-full"
        default: [nil, "prefer", "allow"].contains(mode) && !isLocal(target) ? "require" : nil
        }
    }

    /// Returns whether bytes for a target stay on this machine.
    private static func isLocal(_ target: Target) -> Bool {
        if let address = target.address {
            return address == "::1" || address.hasPrefix("127.") || address.hasPrefix("::ffff:127.")
        }
        return target.unresolvedName == nil || target.host == "localhost"
    }

    /// Returns the targets of lists that are separated by commas.
    static func targets(host: String?, address: String?, port: String?) -> [Target] {
        func items(_ list: String?) -> [String?] {
            guard let list, !list.isEmpty else { return [] }
            return list.split(separator: ",", omittingEmptySubsequences: false).map { $0.isEmpty ? nil : String($0) }
        }
        let (hosts, addresses, ports) = (items(host), items(address), items(port))
        return (0..<max(1, hosts.count, addresses.count)).map { index in
            Target(
                host: index < hosts.count ? hosts[index] : nil,
                address: index < addresses.count ? addresses[index] : nil,
                port: index < ports.count ? ports[index] : ports.last ?? nil
            )
        }
    }

    /// Returns the parameters for a connection to one target, in an order in which the later ones win.
    func parameters(for target: Target) -> [(String, String)] {
        var parameters: [(String, String)] = []
        if let text { parameters.append(("dbname", text)) }
        parameters += additions.sorted { $0.key < $1.key }
        for (name, value) in [("host", target.host), ("hostaddr", target.address), ("port", target.port)] {
            if let value { parameters.append((name, value)) }
        }
        if let mode = Self.encryptionMode(encryption, of: target, given: sslMode) {
            parameters.append(("sslmode", mode))
        }
        return parameters
    }

    /// Returns all parameters that libpq would use, without connecting.
    ///
    /// It has no function for that: it is told to connect with a parameter that makes no sense, which it finds after it
    /// has read everything and before it looks up a name.
    private static func expand(_ text: String?, _ library: PostgresLibrary) throws -> [String: String] {
        let api = library.functions.pointee
        if let text { try check(text, library) }
        let nonsense = "netkit-looks-first"
        let parameters = (text.map { [("dbname", $0)] } ?? []) + [("channel_binding", nonsense)]
        guard let connection = library.start(parameters) else { throw PostgresFailure.noMemory }
        defer { api.finish(connection) }
        let problem = api.errorMessage(connection).map { String(cString: $0) } ?? ""
        guard problem.contains(nonsense), let options = api.conninfo(connection) else {
            let reason = hidingParts(of: text, in: problem)
            throw NetKitError(.invalidConfiguration, "Cannot connect to the database: \(reason)")
        }
        defer { api.conninfoFree(options) }
        var values: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.value, value.pointee != 0 {
                values[String(cString: keyword)] = String(cString: value)
            }
            option += 1
        }
        return values
    }

    /// Returns the problem of a URL that libpq would misread, without the parts of the URL.
    static func problem(of text: String) -> String? {
        guard let end = text.firstRange(of: "://") else { return nil }
        let scheme = text[..<end.lowerBound]
        guard ["postgres", "postgresql"].contains(scheme) else {
            // A list of parameters can contain a URL.
            guard !scheme.contains("=") else { return nil }
            return "The URL of the database begins with \(scheme)://, and has to begin with postgres://."
        }
        let rest = text[end.upperBound...].prefix { $0 != "?" }
        if rest.count(where: { $0 == "@" }) > 1 {
            return "The URL of the database has several @. Write %40 for one in the user or the password."
        }
        let authority = rest.prefix { $0 != "/" }
        if rest.contains("@"), !authority.contains("@") {
            return "The URL of the database has a / before the @. Write %2F for one in the user or the password."
        }
        let hosts = authority.lastIndex(of: "@").map { authority[$0...].dropFirst() } ?? authority
        if hosts.split(separator: ",").contains(where: { !hasPlausiblePort($0) }) {
            return "The port in the URL of the database is not a number. Write %3F for ? in the user or the password."
        }
        return nil
    }

    /// Returns whether the text after the last colon of a host, outside of brackets, is a number or empty.
    private static func hasPlausiblePort(_ host: Substring) -> Bool {
        let name = host.lastIndex(of: "]").map { host[$0...] } ?? host
        guard let colon = name.lastIndex(of: ":") else { return true }
        return name[colon...].dropFirst().allSatisfy { $0.isASCII && $0.isNumber }
    }

    /// Returns a message of libpq, without the parts of the URL or the parameters that it quotes.
    ///
    /// Without an escape, a part of a password is read as something else.
    static func hidingParts(of text: String?, in reason: String) -> String {
        guard let text else { return reason }
        return reason.replacing(/"([^"]*)"/) { match in
            text.contains(match.1) ? "\"…\"" : String(match.0)
        }
    }

    /// Returns the name of a parameter that libpq does not know, unless it may be a part of a password.
    static func unknownParameter(in text: String, _ reason: String) -> Substring? {
        guard let match = reason.firstMatch(of: /^invalid (?:URI query parameter:|connection option) "([a-z_]+)"$/),
            let place = text.range(of: match.1, options: .backwards),
            !text[..<place.lowerBound].contains(/password\s*=/)
        else { return nil }
        // An @ after a ? can be that before the host.
        return text.drop { $0 != "?" }.contains("@") ? nil : match.1
    }

    /// Checks the form of a URL or list of parameters.
    private static func check(_ text: String, _ library: PostgresLibrary) throws {
        if let reason = Self.problem(of: text) { throw NetKitError(.invalidConfiguration, "\(reason) \(form)") }
        let api = library.functions.pointee
        var problem: UnsafeMutablePointer<CChar>?
        defer { api.freemem(problem) }
        if let options = api.conninfoParse(text, &problem) { return api.conninfoFree(options) }
        let reason = problem.map { String(cString: $0).trimmingCharacters(in: .whitespacesAndNewlines) } ?? ""
        // Other reasons quote parts of the text, in which there may be a password.
        let shown = Self.unknownParameter(in: text, reason).map { ": there is no parameter \"\($0)\"" } ?? ""
        throw NetKitError(.invalidConfiguration, "The URL of the database cannot be read\(shown). \(form)")
    }

    private static let form =
        "It has the form postgres://user:password@host:5432/database?sslmode=require; other characters than letters "
        + "and digits in its user and password are percent-encoded."
}

extension PostgresLibrary {
    /// Begins to connect, without waiting if the parameters need no lookup of a name.
    func start(_ parameters: [(String, String)]) -> OpaquePointer? {
        let keywords = parameters.map { strdup($0.0) }
        let values = parameters.map { strdup($0.1) }
        defer { for text in keywords + values { free(text) } }
        let ended = { (texts: [UnsafeMutablePointer<CChar>?]) in texts.map { UnsafePointer($0) } + [nil] }
        return functions.pointee.connectStartParams(ended(keywords), ended(values), 1)
    }
}
