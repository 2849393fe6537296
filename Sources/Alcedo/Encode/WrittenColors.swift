package import Foundation

/// The colors of an image in a file of RGB pixels: unchanged with their profile, or converted to sRGB.
///
/// - An RGB profile is written with unchanged pixels if the format has room for it. Only its header is read: viewers
///   ignore a profile with damaged tables, as they did in the original file.
/// - Otherwise, pixels with an RGB or gray profile are converted.
/// - A profile that doesn't describe the pixels is left out, and they are taken as sRGB, as all viewers do. This
///   applies to a damaged profile, and to a CMYK profile, whose inks were converted to RGB when the file was decoded.
struct WrittenColors {
    /// The profile to write; nil for sRGB.
    let profile: Data?
    /// The conversion to sRGB; nil to write the pixels as they are.
    let conversion: ColorConversion?

    /// - Parameters:
    ///   - profile: the profile of the pixels; nil for sRGB.
    ///   - room: the length of the longest profile that the format holds, in bytes; 0 if it holds none.
    /// - Throws: ``ImageLoaderError/unsupportedConfiguration(_:)`` when the pixels have to be converted, and this build
    ///   can't do that.
    init(_ profile: Data?, room: Int) throws(ImageLoaderError) {
        guard let profile, let header = ProfileHeader(profile), [.rgb, .gray].contains(header.space) else {
            (self.profile, conversion) = (nil, nil)
            return
        }
        if header.space == .rgb, header.length >= 128, header.length <= min(profile.count, room) {
            (self.profile, conversion) = (profile.prefix(header.length), nil)
        } else {
            self.profile = nil
            conversion = try ColorConversion(profile: profile)
        }
    }

    /// The pixels to write. Allocates a second bitmap if they are converted.
    func pixels(of bitmap: Bitmap) throws(ImageLoaderError) -> Bitmap {
        try conversion?.apply(to: bitmap, limits: .unlimited) ?? bitmap
    }
}

extension Bitmap {
    /// Returns the same image with colors converted from `profile` to sRGB, as encoders do whose formats can't hold a
    /// profile.
    ///
    /// - Throws: ``ImageLoaderError/unsupportedConfiguration(_:)`` when the profile can be used, but this build can't
    ///   convert colors.
    package func convertedToSRGB(from profile: Data?) throws(ImageLoaderError) -> Bitmap {
        try WrittenColors(profile, room: 0).pixels(of: self)
    }
}

/// Converts the colors of each frame before it is written.
struct ConvertingWriter: AnimationWriting {
    private var writer: any AnimationWriting
    private let colors: WrittenColors
    private var failure: ImageLoaderError?

    init(_ writer: any AnimationWriting, _ colors: WrittenColors) { (self.writer, self.colors) = (writer, colors) }

    mutating func append(_ frame: AnimationFrame) throws(ImageLoaderError) {
        if let failure { throw failure }
        do throws(ImageLoaderError) {
            try writer.append(AnimationFrame(colors.pixels(of: frame.bitmap), delay: frame.delay))
        } catch {
            failure = error
            throw error
        }
    }

    mutating func finish() throws(ImageLoaderError) -> Data {
        if let failure { throw failure }
        return try writer.finish()
    }
}
