// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation

// Names that the options, rules and forms of other clients have. The compiler says what to write.

extension CallOptions {
    @available(*, unavailable, message: "Write .automatic, or .value(key): CallOptions(idempotencyKey: .value(key)).")
    @_alwaysEmitIntoClient public init(idempotencyKey: String) { self.init() }
    @available(*, unavailable, message: "Write CallOptions(principal: Principal(identity)).")
    @_alwaysEmitIntoClient public init(principal: String) { self.init() }
    @available(*, unavailable, message: "Write CallOptions(principal: Principal(identity)).")
    @_alwaysEmitIntoClient public init(user: String) { self.init() }
    @available(
        *,
        unavailable,
        message: "Pass a limit, CallOptions(timeout: .seconds(10)), or call in withDeadline(.seconds(10)) { … }."
    )
    @_alwaysEmitIntoClient public init(deadline: ContinuousClock.Instant) { self.init() }
    @available(*, unavailable, message: "Write CallOptions(delivery: .streamed).")
    @_alwaysEmitIntoClient public init(stream: Bool) { self.init() }
    @available(*, unavailable, message: "Pass a policy: CallOptions(retry: RetryPolicy(maxRetries: 3)).")
    @_alwaysEmitIntoClient public init(retry: Int) { self.init() }
    @available(*, unavailable, message: "Set it on the request or the endpoint: request.requiresAuth = false.")
    @_alwaysEmitIntoClient public init(requiresAuth: Bool) { self.init() }
}

extension Delivery {
    @available(*, unavailable, renamed: "streamed")
    @_alwaysEmitIntoClient public static var streaming: Delivery { .streamed }
}

extension IdempotencyKey {
    @available(*, unavailable, message: "Write .value(key).")
    @_alwaysEmitIntoClient public init(_ key: String) { self = .value(key) }
    @available(*, unavailable, message: "Write .automatic.")
    @_alwaysEmitIntoClient public init() { self = .automatic }
}

extension DownloadRules {
    @available(*, unavailable, renamed: "init(existingFile:isResumable:expectedSize:expectedSHA256:retry:)")
    @_alwaysEmitIntoClient public init(resume: Bool) { self.init(isResumable: resume) }
    @available(*, unavailable, renamed: "init(existingFile:isResumable:expectedSize:expectedSHA256:retry:)")
    @_alwaysEmitIntoClient public init(resumable: Bool) { self.init(isResumable: resumable) }
    @available(*, unavailable, message: "Write DownloadRules(existingFile: .replace).")
    @_alwaysEmitIntoClient public init(overwrite: Bool) { self.init() }
    @available(*, unavailable, renamed: "init(existingFile:isResumable:expectedSize:expectedSHA256:retry:)")
    @_alwaysEmitIntoClient public init(sha256: String) { self.init(expectedSHA256: sha256) }
    @available(*, unavailable, message: "Write DownloadRules(isResumable: true).")
    @_alwaysEmitIntoClient public static var resumable: DownloadRules { DownloadRules() }
}

extension DownloadRules.ExistingFile {
    @available(*, unavailable, renamed: "replace")
    @_alwaysEmitIntoClient public static var overwrite: DownloadRules.ExistingFile { .replace }
}

extension DownloadedFile {
    @available(*, unavailable, renamed: "url.path")
    @_alwaysEmitIntoClient public var path: String { url.path }
    @available(*, unavailable, renamed: "byteCount")
    @_alwaysEmitIntoClient public var size: Int64 { byteCount }
    @available(*, unavailable, renamed: "url")
    @_alwaysEmitIntoClient public var fileURL: URL { url }
}

extension TransferProgress {
    @available(*, unavailable, renamed: "fractionCompleted")
    @_alwaysEmitIntoClient public var fraction: Double? { fractionCompleted }
}

extension MultipartForm {
    @available(*, unavailable, renamed: "field(_:_:)")
    @_alwaysEmitIntoClient public mutating func field(name: String, value: String) {}
    @available(*, unavailable, renamed: "field(_:_:)")
    @_alwaysEmitIntoClient public var addField: OtherName { OtherName() }
    @available(*, unavailable, renamed: "field(_:_:)")
    @_alwaysEmitIntoClient public var text: OtherName { OtherName() }
    @available(*, unavailable, renamed: "file(_:at:fileName:contentType:headers:)")
    @_alwaysEmitIntoClient public var addFile: OtherName { OtherName() }
    @available(*, unavailable, message: "Use field(_:_:) for a text, data(_:_:) for bytes, and file(_:at:) for a file.")
    @_alwaysEmitIntoClient public var part: OtherName { OtherName() }
    @available(*, unavailable, renamed: "file(_:at:fileName:contentType:headers:)")
    @_alwaysEmitIntoClient public mutating func file(_ name: String, _ file: URL) {}
    @available(*, unavailable, renamed: "data(_:_:fileName:contentType:headers:)")
    @_alwaysEmitIntoClient public mutating func file(_ name: String, data: Data) {}
    @available(*, unavailable, renamed: "file(_:at:fileName:contentType:headers:)")
    @_alwaysEmitIntoClient public mutating func file(
        _ name: String,
        at file: URL,
        fileName: String? = nil,
        mimeType: String
    ) {}
    @available(*, unavailable, renamed: "data(_:_:fileName:contentType:headers:)")
    @_alwaysEmitIntoClient public mutating func data(
        _ name: String,
        _ data: Data,
        fileName: String? = nil,
        mimeType: String
    ) {}
    @available(*, unavailable, message: "Add each field: MultipartForm { form in form.field(name, value) }.")
    @_alwaysEmitIntoClient public init(_ fields: [String: String]) { self.init() }
}
