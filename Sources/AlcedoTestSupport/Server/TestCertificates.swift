package import Foundation

/// An authority and a server certificate created for one test.
///
/// They are created by the `openssl` program and are valid for a day.
package struct TestCertificates: Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        /// For localhost and 127.0.0.1, signed by ``TestCertificates/authority``.
        case good
        /// Like ``good``, but expired long ago.
        case expired
        /// For localhost and 127.0.0.1, signed only by itself.
        case selfSigned
        /// Signed by the authority, for a different host name.
        case wrongHost
    }

    private let directory: TemporaryDirectory
    private let kind: Kind

    /// The authority's certificate, in PEM.
    package var authority: URL { directory.url.appending(path: "authority.pem") }
    /// The server's certificate, in PEM.
    var certificate: String { directory.file("\(kind.rawValue).pem") }
    /// The server's key, in PEM.
    var key: String { directory.file("\(kind.rawValue).key") }

    /// A client's certificate that the authority signed, in PEM; see ``makeClient(password:)``.
    package var clientCertificate: URL { directory.url.appending(path: "client.pem") }
    /// The client's key, in PEM.
    package var clientKey: URL { directory.url.appending(path: "client.key") }
    /// The client's certificate and key, in PKCS #12; see ``makeClientArchive(password:)``.
    package var clientArchive: URL { directory.url.appending(path: "client.p12") }

    private static let configuration = """
        [ca]
        default_ca = own
        [own]
        database = index.txt
        new_certs_dir = .
        rand_serial = yes
        unique_subject = no
        default_md = sha256
        default_days = 1
        policy = any
        [any]
        commonName = supplied
        [req]
        distinguished_name = name
        prompt = no
        [name]
        commonName = Alcedo test
        [authority]
        basicConstraints = critical,CA:TRUE
        keyUsage = critical,keyCertSign
        subjectKeyIdentifier = hash
        [here]
        basicConstraints = CA:FALSE
        extendedKeyUsage = serverAuth,clientAuth
        subjectAltName = DNS:localhost,IP:127.0.0.1
        [elsewhere]
        basicConstraints = CA:FALSE
        extendedKeyUsage = serverAuth
        subjectAltName = DNS:elsewhere.invalid

        """

    package init(_ kind: Kind) throws {
        directory = try TemporaryDirectory()
        self.kind = kind
        try Data(Self.configuration.utf8).write(to: directory.url.appending(path: "openssl.cnf"))
        try Data().write(to: directory.url.appending(path: "index.txt"))
        try makeSelfSigned("authority", extensions: "authority")
        switch kind {
        case .good: try makeSigned(kind.rawValue, extensions: "here")
        case .expired:
            try makeSigned(
                kind.rawValue, extensions: "here",
                ["-startdate", "20200101000000Z", "-enddate", "20200102000000Z"])
        case .wrongHost: try makeSigned(kind.rawValue, extensions: "elsewhere")
        case .selfSigned: try makeSelfSigned(kind.rawValue, extensions: "here")
        }
    }

    /// Creates a client's certificate. Its key is encrypted if there is a password.
    package func makeClient(password: String? = nil) throws {
        try makeSigned("client", extensions: "here")
        guard let password else { return }
        try openssl([
            "pkey", "-in", "client.key", "-aes128", "-passout", "pass:\(password)", "-out", "locked.key",
        ])
        try FileManager.default.removeItem(at: clientKey)
        try FileManager.default.moveItem(at: directory.url.appending(path: "locked.key"), to: clientKey)
    }

    /// Puts the client's certificate, its unencrypted key and the authority into one file. Without a password, the file
    /// is encrypted with an empty one.
    package func makeClientArchive(password: String? = nil) throws {
        try openssl([
            "pkcs12", "-export", "-inkey", "client.key", "-in", "client.pem", "-certfile", "authority.pem",
            "-passout", "pass:\(password ?? "")", "-out", "client.p12",
        ])
    }

    private func openssl(_ arguments: [String]) throws {
        guard let tool = ServerProcess.find("openssl") else {
            throw ServerProcess.Failure(description: "openssl is not installed")
        }
        try ServerProcess.run([tool] + arguments, log: directory.file("openssl.log"), in: directory.path)
    }

    private var newKey: [String] {
        ["-config", "openssl.cnf", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    }

    private func makeSelfSigned(_ name: String, extensions: String) throws {
        let files = ["-keyout", "\(name).key", "-out", "\(name).pem"]
        try openssl(["req", "-x509", "-days", "1", "-extensions", extensions] + newKey + files)
    }

    private func makeSigned(_ name: String, extensions: String, _ dates: [String] = []) throws {
        try openssl(["req", "-new"] + newKey + ["-keyout", "\(name).key", "-out", "\(name).csr"])
        let signer = ["-config", "openssl.cnf", "-cert", "authority.pem", "-keyfile", "authority.key"]
        let files = ["-in", "\(name).csr", "-out", "\(name).pem", "-notext"]
        try openssl(["ca", "-batch", "-extensions", extensions] + signer + files + dates)
    }
}
