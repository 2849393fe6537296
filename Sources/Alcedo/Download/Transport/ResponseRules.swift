/// The requirements that a response must meet to be accepted.
public struct ResponseRules: Sendable, Hashable {
    /// The size of the largest accepted body in bytes, after decoding any content coding. At least 1.
    ///
    /// If the transport decodes bodies, the limit also applies to the coded bytes, with 64 KiB more for the coding
    /// itself.
    ///
    /// Default nil: a tenth of the memory that the process may use, at most 200 MiB; at least 16 MiB, or half of that
    /// memory if it is less.
    public var maximumBytes: Int?
    /// The maximum total size of all header fields in bytes. At least 1. Default 64 KiB.
    public var maximumHeaderBytes = 64 << 10
    /// The maximum factor by which decoding a content coding may enlarge a body. At least 1. Default 200.
    ///
    /// Bodies that decode to at most 1 MiB are exempt. Text such as SVG grows about tenfold, and uncompressed drawings
    /// up to a hundredfold; gzip could grow a thousandfold, and Brotli a millionfold. URLSession decodes bodies itself,
    /// so only ``maximumBytes`` applies to them.
    public var maximumExpansion = 200
    /// The statuses that count as success. Default 200 to 299.
    public var acceptedStatus = 200...299
    /// The accepted media types, such as `image/png` or `image/*`.
    ///
    /// Empty by default, which accepts any type, and responses without a type.
    public var contentTypes: [String] = []

    /// Creates rules with the default values.
    public init() {}

    /// Throws if a response's header fields are too large, even if the response would be rejected or unused anyway.
    func checkSize(of headers: HTTPHeaders) throws(ImageLoaderError) {
        let headerBytes = headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        if headerBytes > maximumHeaderBytes {
            throw .limitExceeded(.headerBytes, value: headerBytes, allowed: maximumHeaderBytes)
        }
    }

    /// Throws unless `head` can begin an acceptable response.
    func check(_ head: ResponseHead) throws(ImageLoaderError) {
        guard acceptedStatus.contains(head.status) else { throw .badStatus(head.status) }
        if !contentTypes.isEmpty { try checkType(head.headers["Content-Type"] ?? "") }
        if let expected = head.expectedBytes { try check(bytes: expected) }
    }

    /// Throws if a body of this size exceeds the limit by more than `spare`.
    func check(bytes: Int, allowing spare: Int = 0) throws(ImageLoaderError) {
        let limit = maximumBytes ?? MemoryBudget.mostBodyBytes
        if bytes - spare > limit { throw .limitExceeded(.inputBytes, value: bytes, allowed: limit) }
    }

    /// These rules, with the default limit if none is set.
    ///
    /// - Throws: ``ImageLoaderError/cancelled`` if the calling Task is cancelled before that limit is known.
    func limited(within memory: ProcessMemory) async throws(ImageLoaderError) -> ResponseRules {
        guard maximumBytes == nil else { return self }
        guard let bytes = await memory.limitUnlessCancelled() else { throw .cancelled }
        var rules = self
        rules.maximumBytes = MemoryBudget.bodyLimit(within: bytes)
        return rules
    }

    private func checkType(_ value: String) throws(ImageLoaderError) {
        let type = value.prefix { $0 != ";" && $0 != "," }.lowercased().filter { $0 != " " && $0 != "\t" }
        let isAllowed = contentTypes.contains { allowed in
            let allowed = allowed.lowercased()
            return allowed.hasSuffix("/*") ? type.hasPrefix(allowed.dropLast()) : type == allowed
        }
        if !isAllowed { throw .contentTypeRefused(type) }
    }
}
