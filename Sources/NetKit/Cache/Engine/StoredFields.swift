/// The header fields of a response that are stored (RFC 9111, section 3.1), and those that a later one replaces (section 3.2).
enum StoredFields {
    private static let never: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authentication-info",
        "proxy-authorization", "te", "transfer-encoding", "upgrade",
        // Kept as a number, and written anew for each answer.
        "age",
    ]
    /// The fields that belong to the stored body, and not to the response that confirms it.
    private static let ofBody: Set<String> = ["content-length", "content-encoding", "content-range"]

    /// The fields to keep.
    static func kept(_ headers: HTTPHeaders, control: CacheControl) -> HTTPHeaders {
        var dropped = named(by: headers)
        dropped.formUnion(control.noCacheFields)
        return HTTPHeaders(
            headers.fields.filter { field in
                let name = field.name.lowercased()
                return !never.contains(name) && !dropped.contains(name)
            }
        )
    }

    /// The kept fields with those of a newer answer about the same body.
    static func updated(_ kept: HTTPHeaders, with newer: HTTPHeaders) -> HTTPHeaders {
        let control = CacheControl(newer)
        let replacing = StoredFields.kept(newer, control: control).fields.filter {
            !ofBody.contains($0.name.lowercased())
        }
        var updated = kept
        updated.set(contentsOf: HTTPHeaders(replacing))
        return updated
    }

    private static func named(by headers: HTTPHeaders) -> Set<String> {
        Set(
            headers.values(of: "Connection").flatMap { value in
                value.split { $0 == "," || $0 == " " || $0 == "\t" }.map { $0.lowercased() }
            }
        )
    }
}
