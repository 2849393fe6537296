/// A content coding that a transport decodes itself.
enum ContentCoding: String, Sendable {
    case gzip, deflate
    case brotli = "br"
    case zstandard = "zstd"

    /// - Parameter name: The name of the coding, in lower case.
    init?(name: String) {
        self.init(rawValue: name == "x-gzip" ? "gzip" : name)
    }

    /// Whether the coding is decoded even if it wasn't asked for, because storage services send objects as they are
    /// stored.
    var isAlwaysDecoded: Bool { self == .gzip || self == .deflate }

    /// The coding of a response's body; nil if it arrives unchanged.
    ///
    /// - Parameters:
    ///   - headers: The header fields of the response.
    ///   - asked: The `Accept-Encoding` field that was sent.
    ///   - canDecode: Whether there is a decoder.
    /// - Throws: ``ImageLoaderError/malformedResponse(_:)`` for codings that can't be undone or weren't asked for.
    static func coding(
        of headers: HTTPHeaders, asked: String, canDecode: (ContentCoding) -> Bool
    ) throws(ImageLoaderError) -> ContentCoding? {
        let codings = BodyCodings(headers)
        guard !codings.arePlain else { return nil }
        guard let name = codings.names.first, codings.names.count == 1, let coding = Self(name: name) else {
            throw .malformedResponse("the content coding \(codings.summary), which isn't decoded")
        }
        guard coding.isAlwaysDecoded || names(in: asked).contains(name) else {
            throw .malformedResponse("the content coding \(name), which was not asked for")
        }
        guard canDecode(coding) else {
            throw .malformedResponse("the content coding \(name), for which this build has no decoder")
        }
        return coding
    }

    /// An `Accept-Encoding` field without the codings that can't be decoded.
    static func accepted(_ field: String, canDecode: (ContentCoding) -> Bool) -> String {
        let elements = field.split(separator: ",").map { $0.trimmed }
        let kept = elements.filter { element in
            let name = name(of: element)
            return name == "identity" || Self(name: name).map(canDecode) ?? false
        }
        if kept.isEmpty { return "identity" }
        return kept.count == elements.count ? field : kept.joined(separator: ", ")
    }

    /// The codings that an `Accept-Encoding` field asks for.
    private static func names(in field: String) -> [String] {
        field.split(separator: ",").map { $0.trimmed }.filter { !$0.isRefused }.map(name)
    }

    private static func name(of element: String) -> String {
        Substring(element.lowercased().prefix { $0 != ";" }).trimmed
    }
}

extension Substring {
    fileprivate var trimmed: String {
        let start = drop { $0 == " " || $0 == "\t" }
        let count = start.reversed().prefix { $0 == " " || $0 == "\t" }.count
        return String(start.dropLast(count))
    }
}

extension String {
    /// Whether an element of `Accept-Encoding` has the weight 0 (RFC 9110 section 12.4.2).
    fileprivate var isRefused: Bool {
        guard let weight = lowercased().filter({ $0 != " " && $0 != "\t" }).split(separator: ";q=").dropFirst().first
        else { return false }
        return weight.allSatisfy { $0 == "0" || $0 == "." }
    }
}
