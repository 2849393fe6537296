import Alcedo
import Foundation

/// The metadata of an image, as it is printed. Texts are those of the file, made safe to show.
struct ProbeMetadata: Encodable, Equatable {
    struct Location: Encodable, Equatable {
        /// In degrees.
        var latitude: Double
        var longitude: Double
        /// In meters.
        var altitude: Double?
        /// In degrees clockwise from north.
        var direction: Double?
        var date: String?
    }

    /// Offsets in the file, in bytes.
    struct Video: Encodable, Equatable {
        var offset: Int
        var bytes: Int
    }

    /// The local time when the image was taken, with its offset from UTC if that is known.
    var taken: String?
    var cameraMake: String?
    var cameraModel: String?
    var lensMake: String?
    var lensModel: String?
    var exposureSeconds: Double?
    var fNumber: Double?
    var iso: Int?
    var exposureCompensation: Double?
    /// In millimeters.
    var focalLength: Double?
    var focalLengthOn35mmFilm: Double?
    var flashFired: Bool?
    var location: Location?
    var horizontalPixelsPerInch: Double?
    var verticalPixelsPerInch: Double?
    var title: String?
    var caption: String?
    var artist: String?
    var copyright: String?
    var software: String?
    /// The number of images in the file; nil if there is only one.
    var pictures: Int?
    var gainMap: String?
    /// Whether the file has a depth map; nil if not.
    var hasDepthMap: Bool?
    var motionPhotoVideo: Video?

    /// Returns nil if there is nothing to print.
    init?(_ metadata: ImageMetadata) {
        func shown(_ text: String?) -> String? { text.map { ShownText.of($0) } }
        taken = metadata.captureDate.map { "\($0)" }
        (cameraMake, cameraModel) = (shown(metadata.camera.make), shown(metadata.camera.model))
        (lensMake, lensModel) = (shown(metadata.lens.make), shown(metadata.lens.model))
        exposureSeconds = metadata.exposure.time
        fNumber = metadata.exposure.fNumber
        iso = metadata.exposure.iso
        exposureCompensation = metadata.exposure.compensation
        focalLength = metadata.exposure.focalLength
        focalLengthOn35mmFilm = metadata.exposure.focalLengthOn35mmFilm
        flashFired = metadata.exposure.flashFired
        location = metadata.location.map { place in
            Location(
                latitude: place.latitude, longitude: place.longitude, altitude: place.altitude,
                direction: place.direction, date: place.date?.formatted(.iso8601))
        }
        horizontalPixelsPerInch = metadata.resolution?.horizontal
        verticalPixelsPerInch = metadata.resolution?.vertical
        (title, caption, artist) = (shown(metadata.title), shown(metadata.caption), shown(metadata.artist))
        (copyright, software) = (shown(metadata.copyright), shown(metadata.software))
        if metadata.pictureCount > 1 { pictures = metadata.pictureCount }
        gainMap = metadata.gainMap?.rawValue
        if metadata.hasDepthMap { hasDepthMap = true }
        motionPhotoVideo = metadata.motionPhotoVideo.map { Video(offset: $0.lowerBound, bytes: $0.count) }
        if rows.allSatisfy({ $0.1 == nil }) { return nil }
    }

    // MARK: For people

    /// The labels, with the texts of the known values.
    var rows: [(String, String?)] {
        [
            ("taken", taken), ("camera", Self.name(cameraMake, cameraModel)),
            ("lens", Self.name(lensMake, lensModel)), ("exposure", exposure), ("location", place),
            ("resolution", resolution), ("title", title), ("caption", caption), ("artist", artist),
            ("copyright", copyright), ("software", software), ("contains", contents),
        ]
    }

    private var exposure: String? {
        Self.joined(
            [
                exposureSeconds.map(Self.seconds), fNumber.map { "f/" + Self.number($0) }, iso.map { "ISO \($0)" },
                exposureCompensation.map { ($0 > 0 ? "+" : "") + Self.number($0) + " EV" },
                focalLength.map { Self.number($0) + " mm" },
                focalLengthOn35mmFilm.map { "as \(Self.number($0)) mm on 35 mm film" },
                flashFired.map { $0 ? "flash" : "no flash" },
            ], ", ")
    }

    private var place: String? {
        location.flatMap { place in
            let coordinates = [place.latitude, place.longitude].map { Self.number($0, digits: 6) }
            return Self.joined(
                coordinates + [
                    place.altitude.map { Self.number($0) + " m" },
                    place.direction.map { "towards \(Self.number($0))°" }, place.date.map { "at \($0)" },
                ], ", ")
        }
    }

    private var resolution: String? {
        guard let horizontalPixelsPerInch, let verticalPixelsPerInch else { return nil }
        let sides = Set([horizontalPixelsPerInch, verticalPixelsPerInch].map { Self.number($0) }).count == 1
        let vertical = sides ? "" : " × " + Self.number(verticalPixelsPerInch)
        return Self.number(horizontalPixelsPerInch) + vertical + " pixels per inch"
    }

    private var contents: String? {
        Self.joined(
            [
                pictures.map { "\($0) images" }, gainMap.map { "gain map (\($0))" },
                hasDepthMap.map { _ in "depth map" },
                motionPhotoVideo.map { "video of \(ByteText.of($0.bytes)) at byte \($0.offset)" },
            ], ", ")
    }

    /// Returns the make and the model, without repeating the make if the model begins with it.
    private static func name(_ make: String?, _ model: String?) -> String? {
        if let make, let model, model.lowercased().hasPrefix(make.lowercased()) { return model }
        return joined([make, model], " ")
    }

    private static func joined(_ parts: [String?], _ separator: String) -> String? {
        let parts = parts.compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: separator)
    }

    /// Formats an exposure time. Less than half a second is shown as a fraction, as cameras do.
    private static func seconds(_ time: Double) -> String {
        guard time > 1e-6, time < 0.5 else { return number(time) + " s" }
        return "1/" + number(1 / time, digits: 0) + " s"
    }

    /// Formats a number with a decimal point, whatever the locale, and without trailing zeros.
    private static func number(_ value: Double, digits: Int = 2) -> String {
        let text = String(format: "%.\(digits)f", value)
        guard text.contains(".") else { return text }
        let last = text.lastIndex { $0 != "0" } ?? text.startIndex
        return String(text[...last].suffix(1) == "." ? text[..<last] : text[...last])
    }
}
