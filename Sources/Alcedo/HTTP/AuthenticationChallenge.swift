/// One challenge of a `WWW-Authenticate` field: a scheme and its parameters (RFC 9110 section 11.6.1).
public struct AuthenticationChallenge: Sendable, Hashable {
    /// The scheme in lower case, such as "basic" or "bearer".
    public let scheme: String
    /// The parameters, by their names in lower case, such as "realm". Quotation marks and backslash escapes are removed
    /// from the values. If a name is repeated, the first parameter counts.
    public let parameters: [String: String]
    /// The text that some schemes, such as "negotiate", use instead of parameters; nil if there is none.
    public let token: String?

    /// Creates a challenge, for example in a test.
    public init(scheme: String, parameters: [String: String] = [:], token: String? = nil) {
        self.scheme = scheme
        self.parameters = parameters
        self.token = token
    }

    /// Parses the challenges in a field's value, up to the first that can't be parsed.
    package static func challenges(in value: String) -> [AuthenticationChallenge] {
        var reader = Reader(rest: value.utf8[...])
        var challenges: [AuthenticationChallenge] = []
        while let challenge = reader.challenge() { challenges.append(challenge) }
        return challenges
    }
}

extension AuthenticationChallenge {
    /// Reads challenges from left to right. A comma separates challenges as well as parameters.
    private struct Reader {
        var rest: Substring.UTF8View

        mutating func challenge() -> AuthenticationChallenge? {
            skip { $0.isBlank || $0 == UInt8(ascii: ",") }
            guard let scheme = word(where: \.isOfToken) else { return nil }
            // A field ends here, or another challenge follows.
            guard rest.first?.isBlank == true else { return AuthenticationChallenge(scheme: scheme.lowercased()) }
            var parameters: [String: String] = [:]
            skip(\.isBlank)
            if let token = token() { return AuthenticationChallenge(scheme: scheme.lowercased(), token: token) }
            while let (name, value) = parameter() {
                parameters[name] = parameters[name] ?? value
                let end = rest
                skip { $0.isBlank || $0 == UInt8(ascii: ",") }
                if peekParameter() { continue }
                rest = end
                break
            }
            return AuthenticationChallenge(scheme: scheme.lowercased(), parameters: parameters)
        }

        /// Text of letters, digits and some symbols, with equals signs only at its end, up to a comma or the end of the
        /// field.
        private mutating func token() -> String? {
            let start = rest
            guard let text = word(where: { $0.isOfToken || $0 == UInt8(ascii: "/") }) else { return nil }
            let padding = rest.prefix { $0 == UInt8(ascii: "=") }
            rest = rest[padding.endIndex...]
            skip(\.isBlank)
            if rest.isEmpty || rest.first == UInt8(ascii: ",") { return text + String(Substring(padding)) }
            rest = start
            return nil
        }

        /// Whether a name and an equals sign follow, rather than another challenge.
        private func peekParameter() -> Bool {
            var copy = self
            guard copy.word(where: \.isOfToken) != nil else { return false }
            copy.skip(\.isBlank)
            return copy.rest.first == UInt8(ascii: "=")
        }

        private mutating func parameter() -> (name: String, value: String)? {
            guard peekParameter(), let name = word(where: \.isOfToken) else { return nil }
            skip(\.isBlank)
            rest = rest.dropFirst()
            skip(\.isBlank)
            guard let value = rest.first == UInt8(ascii: "\"") ? quoted() : word(where: \.isOfToken) else {
                return nil
            }
            return (name.lowercased(), value)
        }

        /// The text between quotation marks; nil if the second one is missing.
        private mutating func quoted() -> String? {
            rest = rest.dropFirst()
            var bytes: [UInt8] = []
            while let byte = rest.popFirst() {
                if byte == UInt8(ascii: "\"") { return String(decoding: bytes, as: UTF8.self) }
                if byte != UInt8(ascii: "\\") {
                    bytes.append(byte)
                } else if let escaped = rest.popFirst() {
                    bytes.append(escaped)
                }
            }
            return nil
        }

        private mutating func word(where isIncluded: (UInt8) -> Bool) -> String? {
            let word = rest.prefix(while: isIncluded)
            rest = rest[word.endIndex...]
            return word.isEmpty ? nil : String(Substring(word))
        }

        private mutating func skip(_ isIncluded: (UInt8) -> Bool) { rest = rest.drop(while: isIncluded) }
    }
}
