/// A value that a response becomes if it has one of some statuses.
///
/// ```swift
/// let cases: [StatusCase<Lookup>] = [.status(200, Lookup.found), .status(404, .missing)]
/// let lookup = try await client.send(.get("/users/42"), cases: cases)
/// ```
public struct StatusCase<Result: Sendable>: Sendable {
    let statuses: AcceptedStatuses
    var discardsBody = false
    let read: @Sendable (HTTPResponse, PayloadSettings) async throws -> Result

    /// Creates a case for a status, from the decoded body of the response.
    public static func status<Body: Decodable & Sendable>(
        _ status: HTTPStatus,
        _ result: @escaping @Sendable (Body) -> Result
    ) -> StatusCase {
        .statuses([status], result)
    }

    /// Creates a case for a status, whose body is ignored.
    public static func status(_ status: HTTPStatus, _ result: Result) -> StatusCase {
        .statuses([status], result)
    }

    /// Creates a case for several statuses, from the decoded body of the response.
    public static func statuses<Body: Decodable & Sendable>(
        _ statuses: AcceptedStatuses,
        _ result: @escaping @Sendable (Body) -> Result
    ) -> StatusCase {
        StatusCase(statuses: statuses) { response, settings in
            result(try await ResponseReader<Body>.decoded.read(response, settings))
        }
    }

    /// Creates a case for several statuses, whose body is ignored.
    public static func statuses(_ statuses: AcceptedStatuses, _ result: Result) -> StatusCase {
        StatusCase(statuses: statuses, discardsBody: true) { response, _ in
            response.body.discard()
            return result
        }
    }
}

extension Endpoint {
    /// The endpoint that returns the response with the result.
    var withResponse: Endpoint<(Response, HTTPResponse)> {
        let reader = reader
        return reading(
            reader.making { response, settings in
                let result = try await reader.read(response, settings)
                guard let data = response.body.buffered else { return (result, response) }
                var unread = response
                unread.body = ResponseBody(rereading: response.body, data)
                return (result, unread)
            }
        )
    }

    /// Returns an endpoint whose result is `nil` for some statuses.
    func optional(nilFor statuses: Set<HTTPStatus>) -> Endpoint<Response?> {
        let inner = reader
        var reader: ResponseReader<Response?> = inner.making { response, settings in
            guard statuses.contains(response.status) else { return try await inner.read(response, settings) }
            response.body.discard()
            return nil
        }
        reader.discardsBody = { statuses.contains($0) || inner.discardsBody($0) }
        var endpoint = reading(reader)
        endpoint.acceptedStatuses = acceptedStatuses.adding(statuses)
        return endpoint
    }
}

extension Endpoint where Response == HTTPResponse {
    /// Returns an endpoint whose result depends on the status of the response.
    ///
    /// The first case with the status counts. A status without a case throws `.server`.
    public func reading<Result: Sendable>(_ cases: [StatusCase<Result>]) -> Endpoint<Result> {
        let match: @Sendable (HTTPStatus) -> StatusCase<Result>? = { status in
            cases.first { $0.statuses.contains(status) }
        }
        var reader = ResponseReader<Result>(accept: "application/json") { response, settings in
            guard let match = match(response.status) else {
                throw try await response.statusError(settings: settings)
            }
            return try await match.read(response, settings)
        }
        reader.discardsBody = { match($0)?.discardsBody ?? false }
        var endpoint = reading(reader)
        endpoint.acceptedStatuses = cases.reduce([]) { $0.union($1.statuses) }
        return endpoint
    }
}
