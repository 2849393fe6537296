import Foundation

/// How much of an image's ``DecodedImage/metadata`` an encoder writes.
///
/// It is written anew as EXIF, in the fields that EXIF has: capture date, camera, lens, exposure, location, resolution,
/// caption, artist, copyright and software. The title, gain maps, depth maps and motion photos aren't written, nor is
/// the orientation, because the pixels are upright.
public enum MetadataWriting: Sendable, Hashable, CaseIterable {
    /// Nothing.
    case strip
    /// Everything but the location.
    case keepWithoutLocation
    /// Everything.
    case keep
}

/// An encoder that can write metadata. Of animations, none is written.
public protocol MetadataEncoding: ImageEncoding {
    /// How much of an image's metadata is written. ``MetadataWriting/strip`` by default.
    var metadata: MetadataWriting { get set }
}

extension MetadataEncoding {
    /// The block of EXIF to write for an image; nil for none.
    func exif(of image: DecodedImage) -> Data? {
        metadata == .strip ? nil : image.metadata?.exif(includesLocation: metadata == .keep)
    }
}

extension ImageEncoding {
    /// This encoder with another choice of metadata, if it has that choice.
    func writing(_ metadata: MetadataWriting?) -> any ImageEncoding {
        guard let metadata, var encoder = self as? any MetadataEncoding else { return self }
        encoder.metadata = metadata
        return encoder
    }
}
