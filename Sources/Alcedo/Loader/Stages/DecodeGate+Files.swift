import Foundation

/// A file that decodes to a given image.
struct PictureFile: Sendable {
    var bytes: Data
    /// The color profile, if the bytes can't hold it.
    var profile: Data?
}

extension DecodeGate {
    /// Returns a file that decodes to the same image: its pixels, color profile and animation.
    ///
    /// For an animation that was neither scaled nor converted, this is the file it was decoded from. Anything else is
    /// written as PNG.
    ///
    /// - Parameter isWanted: Called before each frame of an animation; false stops the work. If it isn't nil,
    ///   animations are encoded in the background, one at a time on a separate thread.
    /// - Throws: ``ImageLoaderError/encodingFailed(_:reason:)`` if PNG can't represent the image unchanged, the errors
    ///   that decoding the file would throw, and ``ImageLoaderError/cancelled`` once the file isn't wanted.
    func file(
        of image: DecodedImage, inBackground isWanted: (@Sendable () -> Bool)? = nil
    ) async throws(ImageLoaderError) -> PictureFile {
        let file: PictureFile
        if let animation = image.animation, let bytes = animation.unchangedFile,
            try await header(of: bytes).orientation == animation.orientation
        {
            file = PictureFile(bytes: bytes)
        } else {
            file = try await encodedFile(of: image, isWanted)
        }
        let header = try await header(of: file.bytes)
        _ = try limits.bitmapBytes(for: header.size)
        if let animation = image.animation, let count = header.frameCount, count != animation.frameCount {
            throw .encodingFailed(.png, reason: "its decoder reads \(count) of \(animation.frameCount) frames")
        }
        if let count = header.frameCount, count > 1 { try limits.check(animation: header.size, frames: count) }
        return file
    }

    /// Needs no permit, because it uses only one bitmap of its own.
    private func encodedFile(
        of image: DecodedImage, _ isWanted: (@Sendable () -> Bool)?
    ) async throws(ImageLoaderError) -> PictureFile {
        let bytes = try await encode(image, isWanted)
        guard let profile = image.profile else { return PictureFile(bytes: bytes) }
        let whole = await workers.run { [limits] in losslessFile(bytes, with: profile, limits: limits) }
        return whole.map { PictureFile(bytes: $0) } ?? PictureFile(bytes: bytes, profile: profile)
    }

    private static let background = WorkerThreads("stored", count: 1)

    private func encode(
        _ image: DecodedImage, _ isWanted: (@Sendable () -> Bool)?
    ) async throws(ImageLoaderError) -> Data {
        if let animation = image.animation {
            guard let losslessAnimationEncoder else {
                throw .unsupportedConfiguration("a changed animation can't be stored on disk without animated PNG")
            }
            let job = try AnimationJob(
                animation, delays: animation.rawDelays, profile: nil, losslessAnimationEncoder)
            guard let isWanted else { return try await job.run() }
            return try await Self.background.run {
                Result { () throws(ImageLoaderError) in try job.run(while: isWanted) }
            }.get()
        }
        guard let losslessEncoder else {
            throw .unsupportedConfiguration("an image can't be stored on disk without the trait PNG")
        }
        return try await workers.run {
            Result { () throws(ImageLoaderError) in try losslessEncoder.encode(image.bitmap) }
        }.get()
    }

    /// Reads the header of `data` and checks it against the limits.
    func header(of data: Data) async throws(ImageLoaderError) -> ImageHeader {
        try await header(of: data, by: try decoders.decoder(for: data))
    }
}
