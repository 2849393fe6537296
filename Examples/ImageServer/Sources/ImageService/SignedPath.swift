import Crypto
import Foundation

/// The signature of a path: HMAC-SHA256 of `{options}/{source}` in base64url. The source is its URL in base64url.
enum SignedPath {
    static func sign(options: String, source: String, key: SymmetricKey) -> String {
        let path = "\(options)/\(encode(Data(source.utf8)))"
        let code = HMAC<SHA256>.authenticationCode(for: Data(path.utf8), using: key)
        return "/\(encode(Data(code)))/\(path)"
    }

    /// Returns the URL of the source; nil if the signature doesn't match the path.
    static func source(signature: String, options: String, source: String, key: SymmetricKey) -> URL? {
        guard let code = decode(signature), let url = decode(source),
            HMAC<SHA256>.isValidAuthenticationCode(
                code, authenticating: Data("\(options)/\(source)".utf8), using: key)
        else { return nil }
        return String(bytes: url, encoding: .utf8).flatMap { URL(string: $0) }
    }

    private static func encode(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    private static func decode(_ text: String) -> Data? {
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        return Data(base64Encoded: text.replacing("-", with: "+").replacing("_", with: "/") + padding)
    }
}
