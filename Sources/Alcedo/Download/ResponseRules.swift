/// What a response must satisfy to be accepted.
public struct ResponseRules: Sendable, Hashable {
    /// Bytes of the largest body, after any content coding was decoded; at least 1. Default: nil, 200 MiB or a tenth of
    /// the memory that the process may use, whichever is less.
    public var maximumBytes: Int?
    /// Bytes of all header fields together; at least 1. Default 64 KiB.
    public var maximumHeaderBytes = 64 << 10
    /// The statuses that count as success. Default 200 to 299.
    public var acceptedStatus = 200...299
    /// The media types that are accepted, such as `image/png` or `image/*`. Default: empty, which accepts any, and
    /// responses without one.
    public var contentTypes: [String] = []

    /// The defaults.
    public init() {}

    /// Throws when a response's header fields are more than is accepted, whatever the response is good for.
    func checkSize(of headers: HTTPHeaders) throws(ImageLoaderError) {
        let headerBytes = headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        if headerBytes > maximumHeaderBytes {
            throw .limitExceeded(.headerBytes, value: headerBytes, allowed: maximumHeaderBytes)
        }
    }

    /// Throws unless `head` may be the beginning of a response that is wanted.
    func check(_ head: ResponseHead) throws(ImageLoaderError) {
        guard acceptedStatus.contains(head.status) else { throw .badStatus(head.status) }
        if !contentTypes.isEmpty { try checkType(head.headers["Content-Type"] ?? "") }
        if let expected = head.expectedBytes { try check(bytes: expected) }
    }

    /// Throws when a body of so many bytes is too large.
    func check(bytes: Int) throws(ImageLoaderError) {
        let limit = maximumBytes ?? MemoryBudget.mostBodyBytes
        if bytes > limit { throw .limitExceeded(.inputBytes, value: bytes, allowed: limit) }
    }

    /// The same rules, with the default limit where none is set.
    ///
    /// - Throws: ``ImageLoaderError/cancelled`` when the calling Task is cancelled before it is known.
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
