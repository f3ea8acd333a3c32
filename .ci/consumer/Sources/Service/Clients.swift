import NetKit

/// Creates the clients of the service.
public enum Clients {
    /// Limits come from the environment, the rest from the code.
    public static func make(
        baseURL: URL,
        transport: some Transport = .platformDefault,
        environment: [String: String]
    ) throws -> HTTPClient {
        var configuration = try HTTPClient.Configuration(environment: environment)
        configuration.redaction.headerNames.insert("x-signature")
        configuration.json = JSONCoder {
            let encoder = JSONEncoder()
            encoder.dateEncodingStrategy = .secondsSince1970
            return encoder
        } decoder: {
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .secondsSince1970
            return decoder
        }
        return HTTPClient(
            baseURL: baseURL,
            transport: transport,
            interceptors: .standard + [Signature()],
            configuration: configuration
        )
    }

    /// The environment of this process.
    public static func fromProcess() throws -> HTTPClient {
        HTTPClient(baseURL: URL(string: "https://api.example.com/v1"), configuration: try .fromEnvironment())
    }
}
