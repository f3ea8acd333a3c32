public import Foundation

/// A response of any kind: JSON, text, a file, or nothing.
///
/// ```swift
/// switch try await client.send(Endpoint<DynamicResponse>.get("/export")) {
/// case .json(let value): show(value)
/// case .text(let text): print(text)
/// case .file(let url, let mediaType): open(url, mediaType)
/// case .empty: break
/// }
/// ```
/// The content type decides. Text is read in the character set that it names. Any other content is written to a new
/// file in the temporary folder as it arrives, up to ``PayloadSettings/maxFileBytes``. The file is yours to move or
/// remove, and no other user can read it. A body that is not the JSON it claims to be throws `.decoding`. A body
/// without a content type is text if it fits into ``PayloadSettings/maxBufferedBytes`` and its bytes are text, and a
/// file otherwise.
public enum DynamicResponse: Sendable, Hashable {
    /// Any JSON.
    case json(JSONValue)
    /// A string.
    case text(String)
    /// A file with the body, and its media type.
    case file(URL, String)
    /// No body.
    case empty
}

extension DynamicResponse: EndpointResponse {
    /// JSON, preferred to any other media type.
    public static var accept: String? { "application/json, */*;q=0.8" }

    /// Whether the body is streamed: `true`, so that a file is never in memory as a whole.
    public static var isStreamed: Bool { true }

    /// Reads the response by its content type.
    public init(reading response: HTTPResponse, settings: PayloadSettings) async throws {
        try await self.init(reading: response, settings: settings, folder: FileManager.default.temporaryDirectory)
    }

    init(reading response: HTTPResponse, settings: PayloadSettings, folder: URL) async throws {
        let type = MediaType(of: response.headers)
        guard response.status != .noContent, response.body.length != 0 else {
            response.body.discard()
            self = .empty
            return
        }
        var data = Data()
        var rest: ResponseBody?
        if let type, !type.isJSON, !type.isText {
            rest = response.body
        } else if type != nil {
            data = try await response.body.collect(upTo: settings.maxBufferedBytes)
        } else {
            let start = try await BodyStart(of: response.body, upTo: settings.maxBufferedBytes)
            (data, rest) = (start.data, start.rest)
        }
        if rest == nil, let value = try Self.value(of: data, type, response, settings) {
            self = value
        } else {
            self = try await Self.file(rest ?? ResponseBody(data), type, settings, folder)
        }
    }

    /// Returns the value of a body in memory; `nil` if it is neither JSON nor text.
    private static func value(
        of data: Data,
        _ type: MediaType?,
        _ response: HTTPResponse,
        _ settings: PayloadSettings
    ) throws -> DynamicResponse? {
        if data.isEmpty { return .empty }
        if let type, type.isJSON {
            let limit = settings.maxErrorBodyBytes
            let value = try JSONCoder.standard.value(
                JSONValue.self,
                of: data,
                in: NetKitError.Response(response, body: data, upTo: limit)
            )
            return .json(value)
        }
        if type != nil { return .text(response.text(of: data)) }
        guard let text = String(validating: data, as: UTF8.self), !text.utf8.contains(0) else { return nil }
        return .text(text)
    }

    private static func file(
        _ body: ResponseBody,
        _ type: MediaType?,
        _ settings: PayloadSettings,
        _ folder: URL
    ) async throws -> DynamicResponse {
        let suffix = type.flatMap { FileType.fileExtension(of: $0) } ?? "bin"
        let file = folder.appending(path: "netkit-\(UUID().uuidString).\(suffix)")
        let saver = FileSaver(destination: file, limit: settings.maxFileBytes, permissions: 0o600)
        let count = try await saver.save(body)
        guard count > 0 else {
            try? FileManager.default.removeItem(at: file)
            return .empty
        }
        return .file(file, type?.name ?? "application/octet-stream")
    }
}
