import NetKit

/// Marks requests and unwraps responses: both simple forms in one type.
public struct Envelope: RequestInterceptor, ResponseInterceptor {
    let version: String

    public init(version: String) {
        self.version = version
    }

    public func intercept(_ request: URLRequest) async throws -> URLRequest {
        var request = request
        request.setValue(version, forHTTPHeaderField: "X-Version")
        return request
    }

    public func intercept(_ response: HTTPURLResponse, data: Data) async throws -> Data {
        guard response.value(forHTTPHeaderField: "X-Envelope") == "1" else { return data }
        let outer = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        return try JSONSerialization.data(withJSONObject: outer?["data"] ?? [:])
    }
}

/// Adds one field, and runs for every exchange.
public struct Signature: RequestInterceptor {
    public var stage: Stage { .attempt }

    public init() {}

    public func intercept(_ request: URLRequest) async throws -> URLRequest {
        var request = request
        request.setValue("signed \(request.url?.path() ?? "")", forHTTPHeaderField: "X-Signature")
        return request
    }
}
