// Seen in every file of the module.
@_exported public import NetKitCore
