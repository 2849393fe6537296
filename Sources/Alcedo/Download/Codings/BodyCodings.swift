/// The codings that a response declares. Decoding them may expand the body far beyond the bytes that were sent.
struct BodyCodings: Sendable {
    /// The codings from `Content-Encoding` that change the body, in lower case and in the order they were applied.
    private(set) var names: [String] = []
    /// The compressing codings from `Content-Encoding` and `Transfer-Encoding`.
    private var compressing: [String] = []
    /// Whether one of them is from `Transfer-Encoding`.
    private var compressTransfer = false

    private static let compressingNames: Set = ["gzip", "x-gzip", "deflate", "br", "zstd", "compress", "x-compress"]
    private static let plainNames: Set = ["identity", "none"]

    init() {}

    init(_ headers: HTTPHeaders) { add(headers) }

    /// Adds the codings of another head of the same response.
    mutating func add(_ headers: HTTPHeaders) {
        if let field = headers["Content-Encoding"] {
            let codings = Self.split(field).filter { !Self.plainNames.contains($0) }
            names += codings
            compressing += codings.filter(Self.compressingNames.contains)
        }
        if let field = headers["Transfer-Encoding"] {
            let codings = Self.split(field).filter(Self.compressingNames.contains)
            compressing += codings
            compressTransfer = compressTransfer || !codings.isEmpty
        }
    }

    /// Splits at every comma, even one followed by a combining character, and removes what libcurl treats as
    /// whitespace.
    private static func split(_ field: String) -> [String] {
        field.lowercased().unicodeScalars.split(separator: ",").compactMap { part in
            let name = String(String.UnicodeScalarView(part.filter { !$0.properties.isWhitespace }))
            return name.isEmpty ? nil : name
        }
    }

    /// Whether the body arrives unchanged. Browsers ignore codings that they don't know, such as `aws-chunked`, `utf-8`
    /// and `binary`, and servers send them with bodies that aren't coded.
    var arePlain: Bool { compressing.isEmpty }

    /// The codings as one text, for errors.
    var summary: String { (names.isEmpty ? compressing : names).prefix(8).joined(separator: ", ") }

    /// Throws when more than one coding compresses. Each layer multiplies the size of a body by up to a thousand, and
    /// decoding the inner ones may take days without yielding a byte that a limit could count.
    func requireOneLayer() throws(ImageLoaderError) {
        guard compressing.count > 1 else { return }
        let named = compressing.prefix(8).joined(separator: ", ")
        throw .malformedResponse("\(compressing.count) compressing codings, of which one is accepted: \(named)")
    }

    /// Throws when `Transfer-Encoding` compresses, which must be asked for (RFC 9112 section 6.1) and never is.
    func requirePlainTransfer() throws(ImageLoaderError) {
        guard compressTransfer else { return }
        throw .malformedResponse("a transfer coding that compresses, which was not asked for: \(summary)")
    }
}
