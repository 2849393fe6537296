/// Header fields in the order they came, looked up without regard to case.
public struct HTTPHeaders: Sendable, Hashable {
    /// The fields, in order.
    public private(set) var fields: [Field]

    /// One header field.
    public struct Field: Sendable, Hashable {
        /// The name, as it was written.
        public var name: String
        /// The value, as it was written.
        public var value: String
    }

    /// Headers of these fields, in this order; a name may come more than once.
    public init(_ fields: [(name: String, value: String)] = []) {
        self.fields = fields.map { Field(name: $0.name, value: $0.value) }
    }

    init(fields: [Field]) {
        self.fields = fields
    }

    /// Adds the fields of others behind these.
    mutating func append(_ others: HTTPHeaders) { fields += others.fields }

    /// The values of all fields of that name, in order.
    func values(of name: String) -> [String] {
        fields.filter { $0.name.caseInsensitiveEquals(name) }.map(\.value)
    }

    /// The values of `name` joined by ", " as RFC 9110 section 5.3 allows; nil when there is none.
    ///
    /// Setting replaces all fields of that name; nil removes them.
    public subscript(name: String) -> String? {
        get {
            var joined: String?
            for field in fields where field.name.caseInsensitiveEquals(name) {
                joined = joined.map { "\($0), \(field.value)" } ?? field.value
            }
            return joined
        }
        set {
            fields.removeAll { $0.name.caseInsensitiveEquals(name) }
            if let newValue { fields.append(Field(name: name, value: newValue)) }
        }
    }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
    /// Headers of the literal's fields, in its order.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements.map { (name: $0.0, value: $0.1) })
    }
}

extension String {
    /// Header names are ASCII (RFC 9110 section 5.1), so only ASCII letters are folded.
    fileprivate func caseInsensitiveEquals(_ other: String) -> Bool {
        utf8.count == other.utf8.count && zip(utf8, other.utf8).allSatisfy { $0.asciiLowercased == $1.asciiLowercased }
    }
}

extension UInt8 {
    fileprivate var asciiLowercased: UInt8 { (65...90).contains(self) ? self | 0x20 : self }
}
