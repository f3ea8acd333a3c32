// The types of the module OpenAPIRuntime whose names NetKit has as well.

public final class HTTPBody {}
