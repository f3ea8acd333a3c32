/// The patterns that recognize secret names of header fields, query items and JSON members.
///
/// A name is compared from its end, byte by byte, without regard to case and to `-`, `_`, `.` and brackets between
/// words: `X-Access-Token`, `access_token`, `accessToken` and `user[access_token]` count as one name. Nothing is
/// allocated.
enum SecretNamePattern {
    /// The endings of secret names.
    ///
    /// Each is long or unusual enough that no word ends with it by chance.
    private static let secretEndings: [StaticString] = [
        "token", "secret", "signature", "signature256", "hmac", "hmacsha256", "password", "passwd", "passphrase",
        "passcode", "otp", "authorization", "authentication", "auth", "credential", "credentials", "cookie", "bearer",
        "jwt", "dpop", "assertion", "samlresponse", "session", "sessionid", "sessid", "csrf", "xsrf", "macaroon",
        "clientcert", "authcode", "authorizationcode", "apikey", "accesskey", "accesskeyid", "secretkey",
        "secretaccesskey", "privatekey", "authkey", "subscriptionkey", "masterkey", "licensekey", "encryptionkey",
        "signingkey", "appkey", "applicationkey", "clientkey", "consumerkey", "customerkey", "servicekey", "adminkey",
        "sessionkey", "sharedkey", "storagekey", "accountkey",
    ]

    /// The endings of names that only look secret: positions in a list, names of things, and flags.
    private static let publicEndings: [StaticString] = [
        // Positions of the next page.
        "nexttoken", "pagetoken", "nextpagetoken", "prevtoken", "previoustoken", "continuationtoken", "paginationtoken",
        "pagingtoken", "cursortoken", "startingtoken", "scrolltoken", "skiptoken", "deltatoken", "synctoken",
        "resumetoken", "changetoken", "checkpointtoken", "consistencytoken",
        // WebDAV locks (RFC 4918, section 6.5), which any client may look up, and a header that only says `no-check`.
        "locktoken", "xatlassiantoken",
        // Names of things.
        "idempotencykey", "websocketkey", "cachekey", "surrogatekey", "partitionkey", "rowkey", "sortkey", "rangekey",
        "hashkey", "routingkey", "publickey", "publishablekey", "primarykey", "foreignkey", "objectkey", "itemkey",
        "correlationkey", "deduplicationkey", "dedupkey", "dedupekey", "messagekey", "orderingkey", "groupkey",
        "groupingkey", "translationkey", "localizationkey", "bucketkey", "shardkey", "lookupkey", "eventkey", "lockkey",
        // Flags.
        "allowcredentials", "withcredentials", "includecredentials", "requiresauth", "requireauth", "requiresession",
        "ispassword", "haspassword", "hastoken", "hassession", "isauth",
    ]

    /// The `secretEndings` indexed by their last byte, so that most names need no comparison.
    private static let secretTable = table(of: secretEndings)
    private static let publicTable = table(of: publicEndings)

    /// Returns whether a header field is secret by its name: if `matches(_:)` says so, or if it ends with `-key`.
    static func matches(header name: String) -> Bool {
        withBytes(of: name) { bytes in
            (isListed(bytes, in: secretTable) || endsWithKey(bytes)) && !isListed(bytes, in: publicTable)
        }
    }

    /// Returns whether a query item or a JSON member is secret by its name.
    static func matches(_ name: String) -> Bool {
        withBytes(of: name) { isListed($0, in: secretTable) && !isListed($0, in: publicTable) }
    }

    private static func table(of endings: [StaticString]) -> [[StaticString]] {
        var table = [[StaticString]](repeating: [], count: 32)
        for ending in endings where ending.utf8CodeUnitCount > 0 {
            table[slot(of: ending.utf8Start[ending.utf8CodeUnitCount - 1])].append(ending)
        }
        return table
    }

    /// Returns the slot of a byte.
    ///
    /// Both cases of a letter share one; digits may share it too, which only costs a comparison.
    private static func slot(of byte: UInt8) -> Int { Int(byte & 31) }

    private static func withBytes(of name: String, _ body: (UnsafeBufferPointer<UInt8>) -> Bool) -> Bool {
        var name = name
        return name.withUTF8(body)
    }

    private static func isListed(_ name: UnsafeBufferPointer<UInt8>, in table: [[StaticString]]) -> Bool {
        var end = name.count
        while end > 0, isSeparator(name[end - 1]) { end -= 1 }
        guard end > 0 else { return false }
        for ending in table[slot(of: name[end - 1])] where hasEnding(name, end: end, ending) { return true }
        return false
    }

    private static func hasEnding(_ name: UnsafeBufferPointer<UInt8>, end: Int, _ ending: StaticString) -> Bool {
        var (index, left) = (end, ending.utf8CodeUnitCount)
        while left > 0 {
            index -= 1
            guard index >= 0 else { return false }
            let byte = name[index]
            if isSeparator(byte) { continue }
            left -= 1
            guard byte.lowercasedASCII == ending.utf8Start[left] else { return false }
        }
        return true
    }

    private static func endsWithKey(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        guard name.count > 4, isSeparator(name[name.count - 4]) else { return false }
        return hasEnding(name, end: name.count, "key")
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "["), UInt8(ascii: "]"): true
        default: false
        }
    }
}
