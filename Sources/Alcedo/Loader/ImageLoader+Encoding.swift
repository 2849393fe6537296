public import Foundation

// Images as files, for the clients of a server.

extension ImageLoader {
    /// The image that `request` asks for, as a file that `encoder` writes.
    ///
    /// ```swift
    /// var request = ImageRequest(url: url)
    /// request.targetSize = .width(800)
    /// let image = try await loader.encoded(for: request, as: AutomaticEncoder(accept: field))
    /// ```
    ///
    /// The image is decoded, processed and encoded in one go, on a thread of its own. As many do so at the same time as
    /// ``DecodeSettings/maximumConcurrentDecodes`` and the memory of their pixels permit; the others wait with their
    /// bytes and no pixels. Callers that want the same file share one load. A cancelled caller leaves at once; with the
    /// last one, the download or the work on the pixels is stopped.
    ///
    /// The file is stored on disk and found by the request, ``FileEncoding/identity`` and the version of its source. A
    /// source that is no longer fresh is revalidated: if its server confirms it, all files made of that version are
    /// valid again, and if the server sends another one in answer, they are removed. Versions are told apart by strong
    /// entity tags; without one, each download is a version of its own.
    ///
    /// The source's own bytes are stored with ``DiskContents/both``, and otherwise if they came without being encoded:
    /// for a client that has the file, or in a revalidation in the background. No file is stored of a source whose
    /// response says `no-store` or `private`, of an image that is damaged, of a local file, or with a processor of a
    /// private or local type. The memory cache isn't used.
    ///
    /// - Throws: The errors of ``image(for:)-(URL)`` and those of the encoder.
    public func encoded(
        for request: ImageRequest, as encoder: any FileEncoding = AutomaticEncoder()
    ) async throws(ImageLoaderError) -> EncodedImage {
        try await path.encoded(request, as: encoder)
    }

    /// The image at `url` as a file; see ``encoded(for:as:)-(ImageRequest,_)``.
    public func encoded(
        for url: URL, as encoder: any FileEncoding = AutomaticEncoder()
    ) async throws(ImageLoaderError) -> EncodedImage {
        try await encoded(for: ImageRequest(url: url), as: encoder)
    }

    /// The image that `request` asks for, as a file that `encoder` writes, unless a client has that file.
    ///
    /// If the entity tag of the file follows from its source's, which must be known or asked for, a client that has the
    /// file costs neither a decode nor an encode, nor reading the file from disk.
    ///
    /// - Parameters:
    ///   - request: As for ``encoded(for:as:)-(ImageRequest,_)``.
    ///   - encoder: As for ``encoded(for:as:)-(ImageRequest,_)``.
    ///   - ifNoneMatch: The field `If-None-Match` of the client's request (RFC 9110, section 13.1.2); nil for none.
    ///     Malformed tags match nothing. `*` matches every file.
    /// - Throws: As ``encoded(for:as:)-(ImageRequest,_)``.
    public func encoded(
        for request: ImageRequest, as encoder: any FileEncoding, ifNoneMatch: String?
    ) async throws(ImageLoaderError) -> ConditionalImage {
        try await path.encoded(request, as: encoder, unless: ifNoneMatch.flatMap { EntityTags($0) })
    }
}
