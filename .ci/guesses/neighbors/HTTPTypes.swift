// The types of the module HTTPTypes whose names NetKit has as well.

public struct HTTPRequest {}

public struct HTTPResponse {}
