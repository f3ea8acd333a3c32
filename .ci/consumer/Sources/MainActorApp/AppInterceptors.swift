import NetKit

public struct AppHeaders: RequestInterceptor, ResponseInterceptor {
    public init() {}

    public func intercept(_ request: URLRequest) async throws -> URLRequest {
        var request = request
        request.setValue("app", forHTTPHeaderField: "X-Client")
        return request
    }

    public func intercept(_ response: HTTPURLResponse, data: Data) async throws -> Data {
        data.isEmpty ? Data("{}".utf8) : data
    }
}

/// Shows a spinner. Its state is on the main actor, and it is called from any thread.
public struct Spinning: Interceptor {
    let activity: Activity

    public init(_ activity: Activity) {
        self.activity = activity
    }

    public func intercept(
        _ request: HTTPRequest,
        context: RequestContext,
        next: Next
    ) async throws -> HTTPResponse {
        let start = context.clock.now
        await activity.begin()
        do {
            let response = try await next(request, context)
            await activity.end(after: start.duration(to: context.clock.now))
            return response
        } catch {
            await activity.end(after: start.duration(to: context.clock.now))
            throw error
        }
    }
}

public final class Activity {
    public private(set) var running = 0
    public private(set) var finished = 0
    public private(set) var time = Duration.zero

    public init() {}

    func begin() { running += 1 }

    func end(after duration: Duration) {
        running -= 1
        finished += 1
        time += duration
    }
}
