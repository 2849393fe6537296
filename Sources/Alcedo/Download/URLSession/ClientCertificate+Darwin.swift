#if canImport(Darwin)
import Foundation
import Security

extension TransportSettings.ClientCertificate {
    /// Imports the certificate with its key and the intermediate certificates, into memory and no keychain.
    ///
    /// - Throws: ``ImageLoaderError/unsupportedConfiguration(_:)``.
    func makeCredential() throws(ImageLoaderError) -> URLCredential {
        guard key == nil else {
            throw .unsupportedConfiguration(
                "URLSessionDataLoader reads a client certificate from one PKCS #12 file, so TransportSettings."
                    + "clientCertificate must have no file for the key")
        }
        let file = try certificate.readCertificates("client certificate")
        let options: [CFString: Any] = [kSecImportExportPassphrase: password ?? "", kSecImportToMemoryOnly: true]
        var items: CFArray?
        let status = SecPKCS12Import(file as CFData, options as CFDictionary, &items)
        guard status == errSecSuccess else { throw refusal(status) }
        guard let identity = (items as? [[String: Any]] ?? []).lazy.compactMap({ ImportedIdentity($0) }).first else {
            throw refusal("contains no certificate with its key")
        }
        return URLCredential(
            identity: identity.identity, certificates: identity.intermediates, persistence: .forSession)
    }

    private func refusal(_ status: OSStatus) -> ImageLoaderError {
        switch status {
        case errSecAuthFailed: refusal("can't be decrypted with its password")
        case errSecDecode: refusal("isn't a PKCS #12 file")
        default: refusal("can't be imported (\(status))")
        }
    }

    private func refusal(_ problem: String) -> ImageLoaderError {
        .unsupportedConfiguration("the client certificate in \(certificate.path) \(problem)")
    }
}

/// A certificate with its key.
private struct ImportedIdentity {
    let identity: SecIdentity
    let intermediates: [Any]

    /// - Parameter item: An item of a PKCS #12 file, as the system imports it.
    init?(_ item: [String: Any]) {
        guard let value = item[kSecImportItemIdentity as String],
            CFGetTypeID(value as CFTypeRef) == SecIdentityGetTypeID(),
            let identity: SecIdentity = Self.cast(value)
        else { return nil }
        self.identity = identity
        let chain = item[kSecImportItemCertChain as String] as? [Any] ?? []
        // The first certificate is the identity's own.
        intermediates = Array(chain.dropFirst())
    }

    /// Casts a value whose type was checked. The compiler rejects a conditional cast to a type of Core Foundation
    /// where it sees one, because the cast succeeds for each object.
    private static func cast<Value>(_ value: Any) -> Value? { value as? Value }
}
#endif
