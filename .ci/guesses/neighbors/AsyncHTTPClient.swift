// The types of the module AsyncHTTPClient whose names NetKit has as well, and one that it has not.

public final class HTTPClient {}

public struct HTTPClientRequest {}
