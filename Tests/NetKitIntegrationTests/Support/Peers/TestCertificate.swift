/// One certificate that tests use: its subject, its issuer, and its validity.
struct TestCertificate: Sendable {
    enum Name: String, CaseIterable, Sendable {
        /// The authority that the tests trust, and one that they do not.
        case authority, otherAuthority
        /// An authority below `authority`.
        case intermediate
        /// For `localhost` and 127.0.0.1.
        case server
        /// For `localhost` and 127.0.0.1, signed by `intermediate`.
        case chained
        case expired, notYetValid
        /// For `other.test`.
        case otherHost
        /// For `localhost`, but not for 127.0.0.1.
        case nameOnly
        case selfSigned
        /// For `localhost` and 127.0.0.1, signed by `otherAuthority`.
        case unknownAuthority
        /// A client's, another client's, and one signed by `otherAuthority`.
        case client, secondClient, otherClient
    }

    enum Kind: Sendable {
        case authority
        /// The text after `subjectAltName=`.
        case server(String)
        case client
    }

    /// The first and last moment as ASN.1 writes them.
    struct Validity: Sendable {
        let start: String
        let end: String

        static let now = Validity(start: "20200101000000Z", end: "20491231235959Z")
        static let past = Validity(start: "20200101000000Z", end: "20210101000000Z")
        static let future = Validity(start: "20490101000000Z", end: "20491231235959Z")
    }

    let name: Name
    let kind: Kind
    /// The certificate itself if nil.
    var issuer: Name?
    var validity = Validity.now

    private static let loopback = Kind.server("DNS:localhost,IP:127.0.0.1")

    /// All of them, each after its issuer.
    static let all = [
        TestCertificate(name: .authority, kind: .authority),
        TestCertificate(name: .otherAuthority, kind: .authority),
        TestCertificate(name: .intermediate, kind: .authority, issuer: .authority),
        TestCertificate(name: .server, kind: loopback, issuer: .authority),
        TestCertificate(name: .chained, kind: loopback, issuer: .intermediate),
        TestCertificate(name: .expired, kind: loopback, issuer: .authority, validity: .past),
        TestCertificate(name: .notYetValid, kind: loopback, issuer: .authority, validity: .future),
        TestCertificate(name: .otherHost, kind: .server("DNS:other.test"), issuer: .authority),
        TestCertificate(name: .nameOnly, kind: .server("DNS:localhost"), issuer: .authority),
        TestCertificate(name: .selfSigned, kind: loopback),
        TestCertificate(name: .unknownAuthority, kind: loopback, issuer: .otherAuthority),
        TestCertificate(name: .client, kind: .client, issuer: .authority),
        TestCertificate(name: .secondClient, kind: .client, issuer: .authority),
        TestCertificate(name: .otherClient, kind: .client, issuer: .otherAuthority),
    ]

    /// The section of `TestCertificate.configuration` with its extensions, and the content of that section.
    var extensions: String {
        let own =
            switch kind {
            case .authority: ["basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign,cRLSign"]
            case .server(let names): Self.leaf + ["extendedKeyUsage=serverAuth", "subjectAltName=\(names)"]
            case .client: Self.leaf + ["extendedKeyUsage=clientAuth"]
            }
        return (["[\(name)]"] + own + ["subjectKeyIdentifier=hash", "authorityKeyIdentifier=keyid"])
            .joined(separator: "\n")
    }

    private static let leaf = ["basicConstraints=critical,CA:FALSE", "keyUsage=critical,digitalSignature"]

    /// The lines of shell that make the key and the certificate.
    var commands: String {
        let signing = issuer.map { "-cert \($0).pem -keyfile \($0).key" } ?? "-selfsign -keyfile \(name).key"
        return """
            openssl req -new -config openssl.cnf -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
            -subj "/CN=NetKit test \(name)" -keyout \(name).key -out \(name).csr
            openssl ca -batch -notext -config openssl.cnf \(signing) -extensions \(name) \
            -startdate \(validity.start) -enddate \(validity.end) -in \(name).csr -out \(name).pem
            """
    }

    /// The settings of `openssl`: everything in the current folder, and all extensions.
    static let configuration =
        """
        [req]
        distinguished_name=subject
        [subject]
        [ca]
        default_ca=authority_in_folder
        [authority_in_folder]
        database=index.txt
        new_certs_dir=.
        rand_serial=yes
        unique_subject=no
        default_md=sha256
        policy=any_name
        [any_name]
        commonName=supplied

        """ + all.map(\.extensions).joined(separator: "\n") + "\n"
}
