// The types of the module NIOHTTP1 whose names NetKit has as well.

public struct HTTPHeaders {}

public enum HTTPMethod {}
