import NetKit

/// Measures each logical call: the full form, with state of its own.
public actor Measurements {
    public private(set) var lines: [String] = []

    public init() {}

    func record(_ line: String) { lines.append(line) }
}

public struct Timing: Interceptor {
    let measurements: Measurements

    public init(_ measurements: Measurements) {
        self.measurements = measurements
    }

    public var stage: Stage { .observe }

    public func intercept(
        _ request: HTTPRequest,
        context: RequestContext,
        next: Next
    ) async throws -> HTTPResponse {
        let start = context.clock.now
        let subject = "\(context.tags[Feature.self]?.name ?? "-") \(request.method) \(request.url.path())"
        do {
            let response = try await next(request, context)
            let time = start.duration(to: context.clock.now)
            await measurements.record("\(subject) \(response.status.code) \(time)")
            return response
        } catch {
            await measurements.record("\(subject) failed")
            throw error
        }
    }
}

/// Sets the identity on whose behalf a call is made.
public struct Feature: CallTag {
    public var name: String

    public init(name: String) {
        self.name = name
    }
}
