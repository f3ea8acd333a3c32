import Foundation

extension HTTPBody {
    /// Returns fields as `application/x-www-form-urlencoded`, in the form that browsers use: a space is `+`.
    ///
    /// ```swift
    /// try await client.send(Endpoint<Token>.post("/token", body: .form(["grant_type": "client_credentials"])))
    /// ```
    public static func form(_ fields: QueryBuilder) -> HTTPBody {
        HTTPBody(storage: .deferred { _ in try fields.formData() }, contentType: formType)
    }

    /// Returns a value's members as `application/x-www-form-urlencoded`, encoded when the call begins.
    public static func form(encoding value: some Encodable & Sendable, format: QueryFormat = QueryFormat()) -> HTTPBody
    {
        HTTPBody(
            storage: .deferred { _ in try QueryBuilder(encoding: value, format: format).formData() },
            contentType: formType
        )
    }

    private static let formType = "application/x-www-form-urlencoded"
}

extension QueryBuilder {
    fileprivate func formData() throws -> Data {
        if let problem { throw NetKitError(.encoding, "The form cannot be written. \(problem).") }
        var bytes: [UInt8] = []
        append(to: &bytes, PercentEncoding.appendForm)
        return Data(bytes)
    }
}
