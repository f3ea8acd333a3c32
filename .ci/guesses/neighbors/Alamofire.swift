// The types of the module Alamofire whose names NetKit has as well.

public struct HTTPHeaders {}

public struct HTTPMethod {}

public class RetryPolicy {}

public protocol RequestInterceptor {}
