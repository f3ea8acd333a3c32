@_exported public import NetKitConcerns
@_exported public import NetKitCore
@_exported public import NetKitEndpoints
@_exported public import NetKitOffline
