// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation

// Names that other queues use. None of them can be called: the compiler says what to write instead.

@available(*, unavailable, renamed: "enqueue(_:)")
extension OfflineQueue {
    public nonisolated var add: OtherName { OtherName() }
    public nonisolated var push: OtherName { OtherName() }
    public nonisolated var submit: OtherName { OtherName() }
    public nonisolated var send: OtherName { OtherName() }
}

@available(*, unavailable, renamed: "processQueue()")
extension OfflineQueue {
    public nonisolated var flush: OtherName { OtherName() }
    public nonisolated var sync: OtherName { OtherName() }
    public nonisolated var drain: OtherName { OtherName() }
    public nonisolated var process: OtherName { OtherName() }
}

@available(*, unavailable, renamed: "close(within:)")
extension OfflineQueue {
    public nonisolated var shutdown: OtherName { OtherName() }
    public nonisolated var stop: OtherName { OtherName() }
}

extension OfflineQueue {
    @available(*, unavailable, message: "Pass a QueuedRequest: enqueue(QueuedRequest(request)).")
    @discardableResult
    public nonisolated func enqueue(_ request: HTTPRequest) async throws -> OfflineReceipt {
        try await enqueue(QueuedRequest(request))
    }

    @available(
        *,
        unavailable,
        message: "A queue sends by itself from the time at which it has a sender: attach(client)."
    )
    public nonisolated var start: OtherName { OtherName() }
    @available(*, unavailable, renamed: "pendingCount")
    public nonisolated var count: Int { 0 }
    @available(*, unavailable, message: "Compare the number of entries: await queue.pendingCount == 0.")
    public nonisolated var isEmpty: Bool { true }
    @available(*, unavailable, renamed: "pending")
    public nonisolated var pendingRequests: [QueuedRequest] { [] }
    @available(*, unavailable, renamed: "deadLetters")
    public nonisolated var failed: [DeadLetter] { [] }
    @available(*, unavailable, message: "Name a folder or a store: OfflineQueue(directory: folder, sender: client).")
    public init(client: any RequestSending) async throws {
        try await self.init(store: InMemoryOfflineStore(), sender: client)
    }

    @available(*, unavailable, renamed: "init(directory:sender:seal:configuration:)")
    public init(folder: URL, sender: any RequestSending) async throws {
        try await self.init(directory: folder, sender: sender)
    }

    @available(*, unavailable, renamed: "init(directory:sender:seal:configuration:)")
    public init(directory: URL, client: any RequestSending) async throws {
        try await self.init(directory: directory, sender: client)
    }

    @available(*, unavailable, renamed: "init(store:sender:monitor:configuration:)")
    public init(store: any OfflineStore, client: any RequestSending) async throws {
        try await self.init(store: store, sender: client)
    }
}

extension QueuedRequest {
    @available(*, unavailable, message: "Pass an endpoint: QueuedRequest(.post(path, json: value), lane: \"orders\").")
    public init(method: HTTPMethod, path: RequestPath, body: HTTPBody? = nil) {
        self.init(HTTPRequest(method, path, body: body))
    }
}
