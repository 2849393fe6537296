/// The codings that a response names, through which its body may unfold to much more than was sent.
struct BodyCodings: Sendable {
    /// Those of `Content-Encoding` that change the body, in lower case and in the order they were applied.
    private(set) var names: [String] = []
    /// Those that compress, from `Content-Encoding` and `Transfer-Encoding`.
    private var compressing: [String] = []

    private static let compressingNames: Set = ["gzip", "x-gzip", "deflate", "br", "zstd", "compress", "x-compress"]
    private static let plainNames: Set = ["identity", "none"]

    init() {}

    init(_ headers: HTTPHeaders) { add(headers) }

    /// Adds those of another head of the same response.
    mutating func add(_ headers: HTTPHeaders) {
        if let field = headers["Content-Encoding"] {
            let codings = Self.split(field).filter { !Self.plainNames.contains($0) }
            names += codings
            compressing += codings.filter(Self.compressingNames.contains)
        }
        if let field = headers["Transfer-Encoding"] {
            compressing += Self.split(field).filter(Self.compressingNames.contains)
        }
    }

    /// Splits at each comma, also at one that a combining character follows, and leaves out what libcurl takes for
    /// blanks.
    private static func split(_ field: String) -> [String] {
        field.lowercased().unicodeScalars.split(separator: ",").compactMap { part in
            let name = String(String.UnicodeScalarView(part.filter { !$0.properties.isWhitespace }))
            return name.isEmpty ? nil : name
        }
    }

    /// Whether the body comes as it is. Browsers ignore codings that they don't know, such as `aws-chunked`, `utf-8`
    /// and `binary`, and servers send them with bodies that aren't coded.
    var arePlain: Bool { compressing.isEmpty }

    /// Whether the body comes as it is, with codings that no decoder knows.
    var areUnknown: Bool { compressing.isEmpty && !names.isEmpty }

    /// Throws when more than one coding compresses. Each layer multiplies what a body unfolds to by up to a thousand,
    /// and decoding the inner ones may take days without yielding a byte that a limit could count.
    func requireOneLayer() throws(ImageLoaderError) {
        guard compressing.count > 1 else { return }
        let named = compressing.prefix(8).joined(separator: ", ")
        throw .malformedResponse("\(compressing.count) compressing codings, of which one is accepted: \(named)")
    }
}
