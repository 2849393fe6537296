/// A header field of a case, or only the name of one.
struct HTTPCacheField: Decodable, Sendable {
    let name: String
    var value: String?
    /// The value as seconds relative to the moment of the reply.
    var delta: Int64?
    /// Whether the client must receive the field as it was sent; nil means true.
    var check: Bool?

    init(_ name: String, _ value: String? = nil, delta: Int64? = nil, check: Bool? = nil) {
        self.name = name
        self.value = value
        self.delta = delta
        self.check = check
    }

    /// The names, in lower case, of the fields whose relative values are dates.
    static let dateNames: Set = ["date", "expires", "last-modified", "if-modified-since", "if-unmodified-since"]
}

/// What a field of a reply must be.
struct HTTPCacheExpectation: Decodable, Sendable {
    enum Rule: Sendable {
        case present
        case equals(HTTPCacheField)
        /// The same as another field.
        case equalsField(String)
        case greaterThan(Int)
    }

    let name: String
    let rule: Rule

    init(_ name: String, _ rule: Rule) {
        self.name = name
        self.rule = rule
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        let field = try HTTPCacheField(from: decoder)
        name = field.name
        if let other = try values.decodeIfPresent(String.self, forKey: .other) {
            rule = .equalsField(other)
        } else if let number = try values.decodeIfPresent(Int.self, forKey: .number) {
            rule = .greaterThan(number)
        } else if field.value != nil || field.delta != nil {
            rule = .equals(field)
        } else if try values.decode(String.self, forKey: .rule) == "present" {
            rule = .present
        } else {
            throw DecodingError.dataCorruptedError(
                forKey: .rule, in: values, debugDescription: "a comparison with nothing")
        }
    }

    private enum Key: String, CodingKey {
        case other, number
        case rule = "op"
    }
}
