extension ResponseHead {
    /// This head as it describes the decoded body, which is what transports deliver.
    var withoutCoding: ResponseHead {
        guard headers["Content-Encoding"] != nil, !BodyCodings(headers).arePlain else { return self }
        var head = self
        (head.headers["Content-Encoding"], head.headers["Content-Length"]) = (nil, nil)
        return head
    }

    /// Fields that describe only a part of the body.
    private static let fieldsOfPart: Set = ["content-range", "content-length", "transfer-encoding"]
    /// Fields that date a response. They must not be mixed with those of another response.
    private static let fieldsOfTime: Set = ["age", "date"]

    /// The head of a complete body whose last part came with `newer`, whose fields replace older ones (RFC 9111 section
    /// 3.4).
    func updated(by newer: ResponseHead) -> ResponseHead {
        let fields = newer.headers.filter { !Self.fieldsOfPart.contains($0.name.lowercased()) }
        let replaced = Self.fieldsOfTime.union(fields.map { $0.name.lowercased() })
        let kept = headers.filter { !replaced.contains($0.name.lowercased()) }
        var head = self
        head.headers = HTTPHeaders(kept + fields)
        return head
    }
}

extension ImageLoaderError {
    /// The error for a 304 that refers to a response other than the stored one.
    static let confirmsAnother = malformedResponse("status 304 for another response than the stored one")
}
