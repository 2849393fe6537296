public import Foundation

/// What a file says about its picture beside the pixels: when, where and how it was taken, by whom, and what else the
/// file holds.
///
/// ``init(of:limits:)`` reads it, and so does loading an image with ``ImageRequest/keepsMetadata``. All values are
/// claims of the file, as anyone may have written them: texts may contain any characters, and a location or a date may
/// be wrong.
public struct ImageMetadata: Sendable, Hashable {
    /// How the stored pixels are oriented in the upright image, as EXIF or a TIFF says.
    ///
    /// Nil if the file doesn't say, and for HEIF, AVIF and JPEG XL, which state it elsewhere and whose EXIF orientation
    /// must be ignored. ``ImageHeader/orientation`` is the one that decoders apply.
    public var orientation: Orientation?
    /// When the picture was taken.
    public var captureDate: CaptureDate?
    /// The camera that the picture was taken with.
    public var camera = Equipment()
    /// The lens that the picture was taken with.
    public var lens = Equipment()
    /// How the picture was exposed.
    public var exposure = Exposure()
    /// Where the camera was.
    public var location: Location?
    /// How large the picture is to be printed; nil if the file doesn't say, or only the shape of its pixels.
    public var resolution: Resolution?

    /// A short name of the picture.
    public var title: String?
    /// What the picture shows (`ImageDescription` of EXIF, `dc:description` of XMP).
    public var caption: String?
    /// Who made the picture; several names are separated by "; ".
    public var artist: String?
    /// The copyright notice.
    public var copyright: String?
    /// The program, or the version of the camera's software, that wrote the file.
    public var software: String?

    /// How many pictures a JPEG holds by its multi-picture index (CIPA DC-007), such as a gain map beside the main
    /// picture; only those that are there count. 1 for all other files.
    public var pictureCount = 1
    /// The kind of gain map, which makes an HDR picture of the main one; nil if there is none.
    public var gainMap: GainMap?
    /// Whether the file holds a depth map.
    public var hasDepthMap = false
    /// Where in the file the video of a motion photo is, as offsets from the file's first byte; nil if there is none.
    public var motionPhotoVideo: Range<Int>?

    /// Metadata that says nothing.
    public init() {}

    /// The memory it holds, in bytes, about.
    var byteCount: Int {
        let texts = [
            camera.make, camera.model, lens.make, lens.model, title, caption, artist, copyright, software,
        ]
        return texts.reduce(MemoryLayout<Self>.size) { $0 + ($1?.utf8.count ?? 0) }
    }

    /// Sets a value unless one of a source with precedence is there.
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

        /// Equipment of which nothing is known.
        public init() {}
    }

    /// How a picture was exposed.
    public struct Exposure: Sendable, Hashable {
        /// The exposure time in seconds.
        public var time: Double?
        /// The focal length divided by the diameter of the aperture.
        public var fNumber: Double?
        /// The sensitivity by ISO 12232.
        public var iso: Int?
        /// The compensation in steps of exposure (EV); positive makes brighter.
        public var compensation: Double?
        /// The focal length in millimetres.
        public var focalLength: Double?
        /// The focal length in millimetres that gives the same field of view on 35 mm film.
        public var focalLengthOn35mmFilm: Double?
        /// The state of the flash as the bits of EXIF's tag `Flash`.
        public var flash: Int?
        /// Whether the flash fired; nil if the file doesn't say.
        public var flashFired: Bool? { flash.map { $0 & 1 == 1 } }

        /// An exposure of which nothing is known.
        public init() {}
    }

    /// A place on Earth (WGS 84).
    public struct Location: Sendable, Hashable {
        /// Degrees, from −90 in the south to 90 in the north.
        public var latitude: Double
        /// Degrees, from −180 in the west to 180 in the east.
        public var longitude: Double
        /// Metres above sea level; negative below it.
        public var altitude: Double?
        /// Where the camera pointed, in degrees clockwise from north, true or magnetic.
        public var direction: Double?
        /// When the place was determined.
        public var date: Date?

        /// A place without an altitude; not checked.
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

        /// A resolution; not checked.
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
        /// By ISO 21496-1.
        case iso
        /// By Adobe's namespace of XMP, as in Ultra HDR.
        case adobe
        /// Apple's, as in iPhones' photos.
        case apple
    }
}
