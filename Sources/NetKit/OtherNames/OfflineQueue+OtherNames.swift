// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation

// Names that other queues use. None of them can be called: the compiler says what to write instead.

@available(*, unavailable, renamed: "enqueue(_:)")
extension OfflineQueue {
    @_alwaysEmitIntoClient public nonisolated var add: OtherName { OtherName() }
    @_alwaysEmitIntoClient public nonisolated var push: OtherName { OtherName() }
    @_alwaysEmitIntoClient public nonisolated var submit: OtherName { OtherName() }
    @_alwaysEmitIntoClient public nonisolated var send: OtherName { OtherName() }
}

@available(*, unavailable, renamed: "processQueue()")
extension OfflineQueue {
    @_alwaysEmitIntoClient public nonisolated var flush: OtherName { OtherName() }
    @_alwaysEmitIntoClient public nonisolated var sync: OtherName { OtherName() }
    @_alwaysEmitIntoClient public nonisolated var drain: OtherName { OtherName() }
    @_alwaysEmitIntoClient public nonisolated var process: OtherName { OtherName() }
}

@available(*, unavailable, renamed: "close(within:)")
extension OfflineQueue {
    @_alwaysEmitIntoClient public nonisolated var shutdown: OtherName { OtherName() }
    @_alwaysEmitIntoClient public nonisolated var stop: OtherName { OtherName() }
}

extension OfflineQueue {
    @available(*, unavailable, message: "Pass a QueuedRequest: enqueue(QueuedRequest(request)).")
    @discardableResult
    @_alwaysEmitIntoClient public nonisolated func enqueue(_ request: HTTPRequest) async throws -> OfflineReceipt {
        try await enqueue(QueuedRequest(request))
    }

    @available(
        *,
        unavailable,
        message: "A queue sends by itself from the time at which it has a sender: attach(client)."
    )
    @_alwaysEmitIntoClient public nonisolated var start: OtherName { OtherName() }
    @available(*, unavailable, renamed: "pendingCount")
    @_alwaysEmitIntoClient public nonisolated var count: Int { 0 }
    @available(*, unavailable, message: "Compare the number of entries: await queue.pendingCount == 0.")
    @_alwaysEmitIntoClient public nonisolated var isEmpty: Bool { true }
    @available(*, unavailable, renamed: "pending")
    @_alwaysEmitIntoClient public nonisolated var pendingRequests: [QueuedRequest] { [] }
    @available(*, unavailable, renamed: "deadLetters")
    @_alwaysEmitIntoClient public nonisolated var failed: [DeadLetter] { [] }
    @available(*, unavailable, message: "Name a folder or a store: OfflineQueue(directory: folder, sender: client).")
    @_alwaysEmitIntoClient public init(client: any RequestSending) async throws {
        try await self.init(store: InMemoryOfflineStore(), sender: client)
    }

    @available(*, unavailable, renamed: "init(directory:sender:seal:configuration:)")
    @_alwaysEmitIntoClient public init(folder: URL, sender: any RequestSending) async throws {
        try await self.init(directory: folder, sender: sender)
    }

    @available(*, unavailable, renamed: "init(directory:sender:seal:configuration:)")
    @_alwaysEmitIntoClient public init(directory: URL, client: any RequestSending) async throws {
        try await self.init(directory: directory, sender: client)
    }

    @available(*, unavailable, renamed: "init(store:sender:monitor:configuration:)")
    @_alwaysEmitIntoClient public init(store: any OfflineStore, client: any RequestSending) async throws {
        try await self.init(store: store, sender: client)
    }
}

extension QueuedRequest {
    @available(*, unavailable, message: "Pass an endpoint: QueuedRequest(.post(path, json: value), lane: \"orders\").")
    @_alwaysEmitIntoClient public init(method: HTTPMethod, path: RequestPath, body: HTTPBody? = nil) {
        self.init(HTTPRequest(method, path, body: body))
    }
}
