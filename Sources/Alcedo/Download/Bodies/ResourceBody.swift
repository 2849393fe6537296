import Foundation

/// The bytes of a resource as its flight found them, for all waiters.
package final class ResourceBody: Sendable {
    /// Nil for bytes on disk that no caller needed when the flight looked there.
    let content: Body?
    /// The image that the program provides instead of bytes; nil for all other resources.
    let image: DecodedImage?
    let source: ImageSource
    /// The response that contained the bytes, in its latest known state; nil if there was none.
    let response: StoredResponse?
    /// The reason why the bytes are used although the response is stale.
    let staleReason: StaleReason?
    /// The server's answer: these bytes, or the confirmation of the response. Nil if the server wasn't asked, or
    /// failed.
    let download: Download?
    /// Whether the caches may have had an earlier response.
    let replacesStored: Bool
    /// The earlier response, if it is known.
    let replaced: StoredResponse?
    /// The properties of the image that a cache knows; nil for bytes that no cache had.
    let details: StoredImageDetails?
    /// How long reading or downloading took.
    let duration: Duration
    /// The bytes' share of the budget. Each caller releases it once, when the bytes are decoded or passed on.
    let share: BodyShare?
    /// The loader whose caches have stored the server's answer; nil if the server wasn't asked.
    let loader: ObjectIdentifier?

    private init(
        _ content: Body?, _ image: DecodedImage? = nil, from source: ImageSource, _ response: StoredResponse?,
        staleReason: StaleReason? = nil,
        download: Download? = nil, replacesStored: Bool = false, replacing replaced: StoredResponse? = nil,
        details: StoredImageDetails? = nil, in duration: Duration, _ share: BodyShare?,
        by loader: ObjectIdentifier? = nil
    ) {
        (self.content, self.image, self.source) = (content, image, source)
        (self.response, self.staleReason) = (response, staleReason)
        (self.download, self.replacesStored, self.replaced, self.details) = (
            download, replacesStored, replaced, details
        )
        (self.duration, self.share, self.loader) = (duration, share, loader)
    }

    /// The bytes of a file, or bytes that the program provides.
    convenience init(local data: Data, in duration: Duration, _ share: BodyShare) {
        self.init(.memory(data), from: .local, nil, in: duration, share)
    }

    /// An image that the program provides.
    convenience init(_ image: DecodedImage, in duration: Duration, _ share: BodyShare) {
        self.init(.memory(Data()), image, from: .local, nil, in: duration, share)
    }

    /// The server's answer.
    ///
    /// - Parameters:
    ///   - replacesStored: Whether it is known that the caches may have an earlier response.
    ///   - replaced: The earlier response, if it is known.
    ///   - loader: The loader that asked; nil for a coordinator that is used alone.
    convenience init(
        _ download: Download, in duration: Duration = .zero, replacesStored: Bool = false,
        replacing replaced: StoredResponse? = nil, by loader: ObjectIdentifier? = nil
    ) {
        let isConfirmation = download.isConfirmation
        self.init(
            isConfirmation ? nil : download.content, from: isConfirmation ? .disk : .network, download.response,
            download: download, replacesStored: replacesStored || replaced != nil || download.wasConditional,
            replacing: replaced, in: duration, download.share, by: loader)
    }

    /// An entry of the disk cache.
    ///
    /// - Parameter data: Nil if it wasn't read.
    convenience init(
        stored data: Data?, _ response: StoredResponse?, _ staleReason: StaleReason?, _ details: StoredImageDetails?,
        in duration: Duration, _ share: BodyShare?
    ) {
        self.init(
            data.map { .memory($0) }, from: .disk, response, staleReason: staleReason, details: details, in: duration,
            share)
    }

    /// These bytes, whose response the server has confirmed to a loader.
    func confirmed(by download: Download, to loader: ObjectIdentifier) -> ResourceBody {
        ResourceBody(
            content, from: source, response, download: download, details: details, in: duration, share, by: loader)
    }

    /// The same resource with its bytes mapped. Storing it afterwards copies the file.
    func mapped() -> ResourceBody {
        guard case .file = content, let data = content?.data else { return self }
        return ResourceBody(
            .memory(data), from: source, response, staleReason: staleReason, download: download,
            replacesStored: replacesStored, replacing: replaced, details: details, in: duration, share, by: loader)
    }

    /// Whether caches may store images made from the bytes.
    var mayBeStored: Bool { download?.mayBeStored ?? true }

    /// A part of the bytes, as a server would send it. Nil if the bytes end before it, aren't in memory, or came with a
    /// status other than 200.
    func part(_ range: RequestedRange) -> ResourceBody? {
        guard case .memory(let data) = content, let response, response.status == 200,
            let positions = range.positions(in: data.count)
        else { return nil }
        var headers = response.headers
        headers["Content-Length"] = String(positions.count)
        headers["Content-Range"] = "bytes \(positions.lowerBound)-\(positions.upperBound - 1)/\(data.count)"
        let part = StoredResponse(
            status: 206, headers: headers, freshness: response.freshness, version: response.version)
        let start = data.startIndex
        return ResourceBody(
            .memory(data[start + positions.lowerBound..<start + positions.upperBound]), from: source, part,
            staleReason: staleReason, in: duration, share)
    }
}
