// The types of the module Tracing whose names NetKit has as well.

public protocol Span {}
