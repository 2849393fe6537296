import Foundation

/// A file that decodes to a given image.
struct PictureFile: Sendable {
    var bytes: Data
    /// The colour profile, where the bytes can't hold it.
    var profile: Data?
}

extension DecodeGate {
    /// Returns a file that decodes to the same image: its pixels, colour profile and animation.
    ///
    /// For an animation that was neither scaled nor converted, that is the file it was decoded from. Anything else is
    /// written as PNG.
    ///
    /// - Throws: ``ImageLoaderError/encodingFailed(_:reason:)`` if PNG can't represent the image unchanged, and the
    ///   errors that decoding the file would throw.
    func file(of image: DecodedImage) async throws(ImageLoaderError) -> PictureFile {
        let file: PictureFile
        if let animation = image.animation, let bytes = animation.unchangedFile,
            try await header(of: bytes).orientation == animation.orientation
        {
            file = PictureFile(bytes: bytes)
        } else {
            file = try await encodedFile(of: image)
        }
        let header = try await header(of: file.bytes)
        _ = try limits.bitmapBytes(for: header.size)
        if let count = header.frameCount, count > 1 { try limits.check(animation: header.size, frames: count) }
        return file
    }

    /// Needs no permit, because it uses only one bitmap of its own.
    private func encodedFile(of image: DecodedImage) async throws(ImageLoaderError) -> PictureFile {
        let bytes = try await encode(image)
        guard let profile = image.profile else { return PictureFile(bytes: bytes) }
        let whole = await workers.run { [limits] in losslessFile(bytes, with: profile, limits: limits) }
        return whole.map { PictureFile(bytes: $0) } ?? PictureFile(bytes: bytes, profile: profile)
    }

    private func encode(_ image: DecodedImage) async throws(ImageLoaderError) -> Data {
        if let animation = image.animation {
            guard let losslessAnimationEncoder else {
                throw .unsupportedConfiguration("a changed animation can't be stored on disk without animated PNG")
            }
            return try await AnimationJob(animation, delays: animation.rawDelays, losslessAnimationEncoder).run()
        }
        guard let losslessEncoder else {
            throw .unsupportedConfiguration("a picture can't be stored on disk without the trait PNG")
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
