import Foundation

/// The bytes of a resource as its flight found them, for all who wait for it.
package final class ResourceBody: Sendable {
    /// Nil for bytes on disk that no caller needed when the flight looked there.
    let data: Data?
    let source: ImageSource
    /// The response that the bytes came in, as it is known now; nil if there was none.
    let response: StoredResponse?
    /// Why the bytes are used although the response is stale.
    let staleReason: StaleReason?
    /// What the server sent: these bytes, or the confirmation of the response. Nil if it wasn't asked, or failed.
    let download: Download?
    /// Whether the caches may have had an earlier response.
    let isRenewed: Bool
    /// That response, if it is known.
    let replaced: StoredResponse?
    /// What a cache knows of the image; nil for bytes that no cache had.
    let details: StoredImageDetails?
    /// How long reading or downloading took.
    let duration: Duration
    /// Each caller releases it once, when the bytes are decoded or passed on.
    let share: BodyShare?
    /// Whether the bytes were removed from the cache after they were read.
    let isRemoved: @Sendable () -> Bool

    /// The bytes of a file, or those that the program provides.
    init(local data: Data, in duration: Duration, _ share: BodyShare) {
        (self.data, source, response, staleReason) = (data, .local, nil, nil)
        (download, isRenewed, replaced, details) = (nil, false, nil, nil)
        (self.duration, self.share, isRemoved) = (duration, share, { false })
    }

    /// The server's answer.
    ///
    /// - Parameters:
    ///   - isRenewed: Whether it is known that the caches may have an earlier response.
    ///   - replaced: That response, if it is known.
    init(
        _ download: Download, in duration: Duration = .zero, isRenewed: Bool = false,
        replacing replaced: StoredResponse? = nil
    ) {
        data = download.isConfirmation ? nil : download.body
        source = download.isConfirmation ? .disk : .network
        (response, staleReason) = (download.response, nil)
        self.download = download
        (self.isRenewed, self.replaced) = (isRenewed || replaced != nil || download.wasConditional, replaced)
        (details, self.duration, share, isRemoved) = (nil, duration, download.share, { false })
    }

    /// An entry of the disk cache.
    ///
    /// - Parameter data: Nil if it wasn't read.
    init(
        stored data: Data?, _ response: StoredResponse?, _ staleReason: StaleReason?, _ details: StoredImageDetails?,
        in duration: Duration, _ share: BodyShare?, isRemoved: @escaping @Sendable () -> Bool
    ) {
        (self.data, source, self.response, self.staleReason) = (data, .disk, response, staleReason)
        (download, isRenewed, replaced, self.details) = (nil, false, nil, details)
        (self.duration, self.share, self.isRemoved) = (duration, share, isRemoved)
    }

    private init(_ body: ResourceBody, confirmedBy download: Download?, data: Data?, _ response: StoredResponse?) {
        (self.data, source, self.response, staleReason) = (data, body.source, response, body.staleReason)
        (self.download, isRenewed, replaced, details) = (download, body.isRenewed, nil, body.details)
        (duration, share, isRemoved) = (body.duration, body.share, body.isRemoved)
    }

    /// These bytes, whose response the server has confirmed.
    func confirmed(by download: Download) -> ResourceBody {
        ResourceBody(self, confirmedBy: download, data: data, response)
    }

    /// Whether caches may store what is made of the bytes.
    var mayBeStored: Bool { download?.mayBeStored ?? true }

    /// A part of the bytes, as a server would send it; nil if they end before it.
    func part(_ range: RequestedRange) -> ResourceBody? {
        guard let data, let response, response.status == 200, let positions = range.positions(in: data.count)
        else { return nil }
        var headers = response.headers
        headers["Content-Length"] = String(positions.count)
        headers["Content-Range"] = "bytes \(positions.lowerBound)-\(positions.upperBound - 1)/\(data.count)"
        let part = StoredResponse(
            status: 206, headers: headers, freshness: response.freshness, version: response.version)
        let start = data.startIndex
        return ResourceBody(
            self, confirmedBy: download, data: data[start + positions.lowerBound..<start + positions.upperBound], part)
    }
}
