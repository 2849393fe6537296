public import Foundation

/// Writes an image as a file. Adopted by every ``ImageEncoding``, and by ``AutomaticEncoder``, which chooses one of
/// several.
///
/// Pass one to ``ImageLoader/encoded(for:as:)-(ImageRequest,_)``.
public protocol FileEncoding: Sendable {
    /// Distinguishes the files of this encoder from the files of others for the same image: the format, every setting,
    /// and a version that changes with the code.
    ///
    /// The disk cache finds files by it, and entity tags are derived from it, so it has to be the same in every
    /// process.
    var identity: String { get }

    /// Returns the bytes of a file that shows `image` in its colors, with all frames if it is an animation and the
    /// format supports animations.
    ///
    /// Synchronous: occupies the caller's thread for as long as encoding takes.
    ///
    /// - Parameters:
    ///   - image: The image to write.
    ///   - cancellation: Ends the encoding of an animation at the next frame.
    /// - Throws: The errors of the encoder, and ``ImageLoaderError/cancelled``.
    func file(of image: DecodedImage, _ cancellation: DecodeCancellation) throws(ImageLoaderError) -> Data
}

extension FileEncoding {
    /// Returns the bytes of a file that shows `image`, as ``file(of:_:)`` does, without blocking the calling Task's
    /// thread.
    ///
    /// Uses its own threads, one per core. A cancelled call throws immediately. Images that wait for a thread stay in
    /// memory; ``ImageLoader/encoded(for:as:)-(ImageRequest,_)`` bounds that, and stores the file.
    public func encodedFile(of image: DecodedImage) async throws(ImageLoaderError) -> Data {
        try await EncodingThreads.run { (cancellation) throws(ImageLoaderError) in try file(of: image, cancellation) }
    }
}

extension ImageEncoding {
    public func file(
        of image: DecodedImage, _ cancellation: DecodeCancellation
    ) throws(ImageLoaderError) -> Data {
        if let frames = image.animation, let encoder = self as? any AnimationEncoding {
            return try encoder.file(of: frames, cancellation)
        }
        return try encode(image)
    }
}

extension AnimationEncoding {
    /// The bytes of a file that shows `animation`, encoded on this thread.
    func file(
        of animation: AnimatedImage, _ cancellation: DecodeCancellation
    ) throws(ImageLoaderError) -> Data {
        let job = try AnimationJob(animation, delays: animation.delays, profile: animation.profile, self)
        return try job.run { !cancellation.isCancelled }
    }

    /// The bytes of a file of at most `byteLimit` bytes; see ``encode(_:atMost:lowestQuality:delays:loopCount:)``.
    func file(
        of animation: AnimatedImage, atMost byteLimit: Int, _ lowestQuality: Int, _ cancellation: DecodeCancellation
    ) throws(ImageLoaderError) -> Data {
        let stepping = self as? any AnimationEncoding & QualityStepping
        var search = QualitySearch(from: stepping?.steppedQuality, downTo: lowestQuality, byteLimit: byteLimit)
        search.add(try file(of: animation, cancellation))
        while let stepping, let quality = search.next {
            search.add(try stepping.stepped(to: quality).file(of: animation, cancellation))
        }
        return try search.outcome()
    }
}
