/// A collection of header fields in the order they arrived. Look-ups by name ignore case.
public struct HTTPHeaders: Sendable, Hashable {
    private var fields: [Field]

    /// One header field.
    public struct Field: Sendable, Hashable {
        /// The name as it was written.
        public var name: String
        /// The value as it was written.
        public var value: String { didSet { isLatin1 = false } }
        /// Whether the value was received as bytes that aren't UTF-8, and was decoded as Latin-1, the former encoding
        /// of fields.
        private(set) var isLatin1 = false

        /// Creates a field with this name and value.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }

        /// Creates a field with a value received as these bytes.
        package init(name: String, bytes: some Collection<UInt8>) {
            self.name = name
            if bytes.allSatisfy({ $0 < 0x80 }) {
                // This is the common case. Validating UTF-8 takes about four times as long.
                value = String(decoding: bytes, as: UTF8.self)
            } else if let text = String(validating: bytes, as: UTF8.self) {
                value = text
            } else {
                value = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
                isLatin1 = true
            }
        }

        /// The bytes of the value, as received and as sent.
        package var bytes: [UInt8] {
            isLatin1 ? value.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } : Array(value.utf8)
        }

        /// A field with the same value and another name.
        func named(_ name: String) -> Field {
            var field = self
            field.name = name
            return field
        }

        /// Whether the values have the same bytes. Strings may be equal even if their bytes differ.
        func hasValue(of other: Field) -> Bool {
            value.utf8.elementsEqual(other.value.utf8) && isLatin1 == other.isLatin1
        }

        /// Whether the bytes of names and values are equal.
        public static func == (left: Self, right: Self) -> Bool {
            left.name.utf8.elementsEqual(right.name.utf8) && left.hasValue(of: right)
        }
    }

    /// Creates headers with these fields, in this order; a name may occur more than once.
    public init(_ fields: some Sequence<Field> = []) { self.fields = Array(fields) }

    /// Creates headers with these fields, in this order; a name may occur more than once.
    public init(_ fields: [(name: String, value: String)]) {
        self.init(fields.map { Field(name: $0.name, value: $0.value) })
    }

    /// Adds a field after the others, even if there are fields with its name.
    public mutating func append(_ field: Field) { fields.append(field) }

    /// Adds the fields of `others` after the existing ones.
    public mutating func append(contentsOf others: some Sequence<Field>) { fields.append(contentsOf: others) }

    /// The values of all fields with this name, in order.
    public func values(of name: String) -> [String] { fields(of: name).map(\.value) }

    /// All fields with this name, in order.
    func fields(of name: String) -> [Field] { fields.filter { $0.name.caseInsensitiveEquals(name) } }

    /// The fields with other names.
    func without(_ names: [String]) -> HTTPHeaders {
        HTTPHeaders(fields.filter { field in !names.contains { $0.caseInsensitiveEquals(field.name) } })
    }

    /// The values of `name` joined by ", " as RFC 9110 section 5.3 allows; nil if there is none.
    ///
    /// Setting a value replaces all fields with that name; setting nil removes them.
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

extension HTTPHeaders: RandomAccessCollection {
    /// Always 0.
    public var startIndex: Int { fields.startIndex }
    /// The number of fields.
    public var endIndex: Int { fields.endIndex }
    /// The field at `position`, counted from 0.
    public subscript(position: Int) -> Field { fields[position] }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
    /// Creates headers with the literal's fields, in their order.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements.map { (name: $0.0, value: $0.1) })
    }
}

extension String {
    /// Header names are ASCII (RFC 9110 section 5.1), so only the case of ASCII letters is ignored.
    fileprivate func caseInsensitiveEquals(_ other: String) -> Bool {
        self == other
            || utf8.count == other.utf8.count && utf8.first?.lowercased == other.utf8.first?.lowercased
                && zip(utf8, other.utf8).allSatisfy { $0.lowercased == $1.lowercased }
    }
}
