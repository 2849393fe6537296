public import Foundation

/// The metadata of an image file: when, where, how and by whom the image was taken, and what else the file holds.
///
/// Read it with ``init(of:limits:)``, or load an image with ``ImageRequest/keepsMetadata``. All values are unverified
/// claims of the file: texts may contain any characters, and a location or a date may be wrong.
public struct ImageMetadata: Sendable, Hashable {
    /// The orientation of the stored pixels in the upright image, according to EXIF or a TIFF.
    ///
    /// Nil if the file doesn't say, and for HEIF, AVIF and JPEG XL, which state it elsewhere and whose EXIF orientation
    /// must be ignored. ``ImageHeader/orientation`` is the one that decoders apply.
    public var orientation: Orientation?
    /// The date and time at which the image was taken.
    public var captureDate: CaptureDate?
    /// The camera that took the image.
    public var camera = Equipment()
    /// The lens that the image was taken with.
    public var lens = Equipment()
    /// The exposure settings.
    public var exposure = Exposure()
    /// The location of the camera.
    public var location: Location?
    /// The resolution for printing; nil if the file doesn't say, or only states the shape of its pixels.
    public var resolution: Resolution?

    /// A short name of the image.
    public var title: String?
    /// A description of the image (`ImageDescription` of EXIF, `dc:description` of XMP).
    public var caption: String?
    /// The creator of the image; several names are separated by "; ".
    public var artist: String?
    /// The copyright notice.
    public var copyright: String?
    /// The program, or the version of the camera's software, that wrote the file.
    public var software: String?

    /// The number of images in a JPEG according to its multi-picture index (CIPA DC-007), such as a gain map besides
    /// the main image. Images that are missing from the file don't count. 1 for all other files.
    public var pictureCount = 1
    /// The kind of gain map, which turns the main image into an HDR image; nil if there is none.
    public var gainMap: GainMap?
    /// Whether the file holds a depth map.
    public var hasDepthMap = false
    /// The byte range of a motion photo's video in the file; nil if there is none.
    public var motionPhotoVideo: Range<Int>?

    /// Creates empty metadata.
    public init() {}

    /// The approximate memory that the metadata takes, in bytes.
    var byteCount: Int {
        let texts = [
            camera.make, camera.model, lens.make, lens.model, title, caption, artist, copyright, software,
        ]
        return texts.reduce(MemoryLayout<Self>.size) { $0 + ($1?.utf8.count ?? 0) }
    }

    /// Sets a value unless a source with precedence has set it.
    mutating func fill<Value>(_ path: WritableKeyPath<Self, Value?>, _ value: @autoclosure () -> Value?) {
        if self[keyPath: path] == nil { self[keyPath: path] = value() }
    }
}

extension ImageMetadata {
    /// A camera or a lens.
    public struct Equipment: Sendable, Hashable {
        /// The manufacturer.
        public var make: String?
        /// The model.
        public var model: String?

        /// Creates a camera or lens of which nothing is known.
        public init() {}
    }

    /// The settings with which an image was exposed.
    public struct Exposure: Sendable, Hashable {
        /// The exposure time in seconds.
        public var time: Double?
        /// The focal length divided by the diameter of the aperture.
        public var fNumber: Double?
        /// The sensitivity according to ISO 12232.
        public var iso: Int?
        /// The exposure compensation in EV; positive values make the image brighter.
        public var compensation: Double?
        /// The focal length in millimeters.
        public var focalLength: Double?
        /// The focal length in millimeters that gives the same field of view on 35 mm film.
        public var focalLengthOn35mmFilm: Double?
        /// The state of the flash as the bits of EXIF's tag `Flash`.
        public var flash: Int?
        /// Whether the flash fired; nil if the file doesn't say.
        public var flashFired: Bool? { flash.map { $0 & 1 == 1 } }

        /// Creates an exposure of which nothing is known.
        public init() {}
    }

    /// A place on Earth (WGS 84).
    public struct Location: Sendable, Hashable {
        /// Degrees, from −90 in the south to 90 in the north.
        public var latitude: Double
        /// Degrees, from −180 in the west to 180 in the east.
        public var longitude: Double
        /// Meters above sea level; negative below it.
        public var altitude: Double?
        /// The direction in which the camera pointed, in degrees clockwise from north, true or magnetic.
        public var direction: Double?
        /// The time at which the location was determined.
        public var date: Date?

        /// Creates a location without an altitude. The values aren't checked.
        public init(latitude: Double, longitude: Double) {
            self.latitude = latitude
            self.longitude = longitude
        }
    }

    /// Pixels per inch.
    public struct Resolution: Sendable, Hashable {
        /// Pixels per inch of width.
        public var horizontal: Double
        /// Pixels per inch of height.
        public var vertical: Double

        /// Creates a resolution. The values aren't checked.
        public init(horizontal: Double, vertical: Double) {
            self.horizontal = horizontal
            self.vertical = vertical
        }

        /// Nil if a value isn't positive.
        init?(_ horizontal: Double?, _ vertical: Double?, perInch factor: Double) {
            guard let horizontal, let vertical, horizontal > 0, vertical > 0 else { return nil }
            self.init(horizontal: horizontal * factor, vertical: vertical * factor)
        }
    }

    /// The kinds of gain maps.
    @nonexhaustive
    public enum GainMap: String, Sendable, Hashable {
        /// A gain map as defined by ISO 21496-1.
        case iso
        /// A gain map described in Adobe's XMP namespace, as in Ultra HDR.
        case adobe
        /// Apple's gain map, as in photos from iPhones.
        case apple
    }
}
