public import Foundation

// Encoding images as files, for the clients of a server.

extension ImageLoader {
    /// Returns the image for `request` as a file that `encoder` writes.
    ///
    /// ```swift
    /// var request = ImageRequest(url: url)
    /// request.targetSize = .width(800)
    /// let image = try await loader.encoded(for: request, as: AutomaticEncoder(accept: field))
    /// ```
    ///
    /// The image is decoded, processed and encoded in one step, on a thread outside the cooperative pool.
    /// ``DecodeSettings/maximumConcurrentDecodes`` and the memory for their pixels limit how many images this is done
    /// for at the same time; the others wait with their bytes and without pixels. Callers that want the same file share
    /// one load. A cancelled caller leaves immediately. When the last one leaves, the download or the work on the
    /// pixels is stopped.
    ///
    /// The file is stored on disk, and is identified by the request, ``FileEncoding/identity`` and the version of its
    /// source. A source that is no longer fresh is revalidated. If its server confirms it, all files made from that
    /// version become valid again. If the server sends another version, they are removed. Versions are distinguished by
    /// strong entity tags; without one, each download is a version of its own.
    ///
    /// The source's own bytes are stored with ``DiskContents/both``. Otherwise they are stored only if they were
    /// received without being encoded: for a client that has the file, or in a background revalidation. No file is
    /// stored if the source's response says `no-store` or `private`, the image is damaged, the source is a local file,
    /// or a processor is of a private or local type. The memory cache isn't used.
    ///
    /// - Throws: The errors of ``image(for:)-(URL)`` and those of the encoder.
    public func encoded(
        for request: ImageRequest, as encoder: any FileEncoding = AutomaticEncoder()
    ) async throws(ImageLoaderError) -> EncodedImage {
        try await path.encoded(request, as: encoder)
    }

    /// Returns the image at `url` as a file; see ``encoded(for:as:)-(ImageRequest,_)``.
    public func encoded(
        for url: URL, as encoder: any FileEncoding = AutomaticEncoder()
    ) async throws(ImageLoaderError) -> EncodedImage {
        try await encoded(for: ImageRequest(url: url), as: encoder)
    }

    /// Returns the image for `request` as a file that `encoder` writes, unless a client has that file.
    ///
    /// If the file's entity tag can be derived from its source's, no image is decoded or encoded for a client that has
    /// the file, and the file isn't read from disk. The source's tag must be cached or is requested from its server.
    ///
    /// - Parameters:
    ///   - request: As for ``encoded(for:as:)-(ImageRequest,_)``.
    ///   - encoder: As for ``encoded(for:as:)-(ImageRequest,_)``.
    ///   - ifNoneMatch: The `If-None-Match` field of the client's request (RFC 9110, section 13.1.2); nil for none.
    ///     Malformed tags match nothing. `*` matches every file.
    /// - Throws: As ``encoded(for:as:)-(ImageRequest,_)``.
    public func encoded(
        for request: ImageRequest, as encoder: any FileEncoding, ifNoneMatch: String?
    ) async throws(ImageLoaderError) -> ConditionalImage {
        try await path.encoded(request, as: encoder, unless: ifNoneMatch.flatMap { EntityTags($0) })
    }
}
