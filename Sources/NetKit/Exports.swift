// `import NetKit` is the only import that code using NetKit needs: its vocabulary speaks Foundation's types.
@_exported public import Foundation

#if canImport(FoundationNetworking)
    @_exported public import FoundationNetworking
#endif
