import NetKit

/// The purpose of a call.
public struct Screen: CallTag {
    public var name: String

    public init(name: String) {
        self.name = name
    }
}

public enum AppClient {
    public static func make(
        _ transport: some Transport,
        activity: Activity,
        environment: [String: String] = [:]
    ) throws -> HTTPClient {
        HTTPClient(
            baseURL: URL(string: "https://app.example.com"),
            transport: transport,
            interceptors: [AppHeaders(), Spinning(activity)],
            configuration: try .init(environment: environment)
        )
    }
}
