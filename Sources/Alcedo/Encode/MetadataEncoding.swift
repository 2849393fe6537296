import Foundation

/// The part of an image's ``DecodedImage/metadata`` that an encoder writes.
///
/// Metadata is written as a new EXIF block, in the fields that EXIF has: capture date, camera, lens, exposure,
/// location, resolution, caption, artist, copyright and software. The title, gain maps, depth maps and motion photos
/// aren't written, nor is the orientation, because the pixels are upright.
public enum MetadataWriting: Sendable, Hashable, CaseIterable {
    /// Nothing.
    case strip
    /// Everything but the location.
    case keepWithoutLocation
    /// Everything.
    case keep
}

/// An encoder that can write metadata. Animations are written without any.
public protocol MetadataEncoding: ImageEncoding {
    /// The part of an image's metadata that is written. ``MetadataWriting/strip`` by default.
    var metadata: MetadataWriting { get set }
}

extension MetadataEncoding {
    /// The EXIF block to write for an image; nil for none.
    func exif(of image: DecodedImage) -> Data? {
        metadata == .strip ? nil : image.metadata?.exif(includesLocation: metadata == .keep)
    }
}

extension ImageEncoding {
    /// Returns this encoder with another choice of metadata. Returns it unchanged for nil, or if it can't write
    /// metadata.
    func writing(_ metadata: MetadataWriting?) -> any ImageEncoding {
        guard let metadata, var encoder = self as? any MetadataEncoding else { return self }
        encoder.metadata = metadata
        return encoder
    }
}
