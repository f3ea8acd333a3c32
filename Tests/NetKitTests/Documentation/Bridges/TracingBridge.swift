import NetKit

/// The declarations of swift-distributed-tracing that the bridge uses.
enum Tracing {
    struct ServiceContext: Sendable {
        var traceparent: String
    }

    enum SpanKind: Sendable {
        case client
    }

    protocol Injector<Carrier>: Sendable {
        associatedtype Carrier
        func inject(_ value: String, forKey key: String, into carrier: inout Carrier)
    }

    protocol Span: AnyObject, Sendable {
        var context: ServiceContext { get }
        func setAttribute(_ value: Int, forKey key: String)
    }

    protocol Tracer: Sendable {
        func withSpan<Result>(
            _ operationName: String,
            ofKind kind: SpanKind,
            _ operation: (any Span) async throws -> Result
        ) async rethrows -> Result

        func inject<Carrier, Inject: Injector>(
            _ context: ServiceContext,
            into carrier: inout Carrier,
            using injector: Inject
        )
        where Inject.Carrier == Carrier
    }
}

extension Tracing {
    // GUIDE: begin
    struct TracerInterceptor: Interceptor {
        let tracer: any Tracer
        var stage: Stage { .wire }

        func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
            try await tracer.withSpan(request.method.rawValue, ofKind: .client) { span in
                var request = request
                tracer.inject(span.context, into: &request.headers, using: HeaderInjector())
                let response = try await next(request, context)
                span.setAttribute(response.status.code, forKey: "http.response.status_code")
                return response
            }
        }
    }

    struct HeaderInjector: Injector {
        func inject(_ value: String, forKey key: String, into headers: inout HTTPHeaders) {
            headers[key] = value
        }
    }
    // GUIDE: end
}
