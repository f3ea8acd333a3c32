// Values that may contain secrets, as they are shown in logs and test reports. Only the standard rules are known here.

extension HTTPHeaders.Field: CustomStringConvertible, CustomReflectable {
    /// The name and the value, with secrets masked by ``Redaction/standard``.
    public var description: String {
        NetKitError.oneLine("\(name): \(Redaction.standard.redacted(self))", limit: 400)
    }

    /// A mirror with secrets masked, for `dump` and test reports.
    public var customMirror: Mirror {
        Mirror(self, children: ["name": name, "value": Redaction.standard.redacted(self)])
    }
}

extension RedirectHop: CustomStringConvertible, CustomReflectable {
    /// The status and both URLs, with secrets masked by ``Redaction/standard``.
    public var description: String {
        let redaction = Redaction.standard
        return NetKitError.oneLine(
            "\(status.code) from \(redaction.redacted(from)) to \(redaction.redacted(to))",
            limit: 800
        )
    }

    /// A mirror without the URLs, for `dump` and test reports.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

// These two have no masked `description`, because a path takes the description of an interpolated value.

extension QueryBuilder: CustomDebugStringConvertible, CustomReflectable {
    /// The encoded query, with secrets masked by ``Redaction/standard``, for logs and test reports.
    public var debugDescription: String {
        "QueryBuilder(\(Redaction.standard.redacted(urlText: "?\(encoded)").dropFirst()))"
    }

    /// A mirror without the items, for `dump` and test reports.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension RequestPath: CustomDebugStringConvertible, CustomReflectable {
    /// The encoded path, with secrets masked by ``Redaction/standard``, for logs and test reports.
    public var debugDescription: String { Redaction.standard.redacted(urlText: encoded, dropsFragment: false) }

    /// A mirror without the path, for `dump` and test reports.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
