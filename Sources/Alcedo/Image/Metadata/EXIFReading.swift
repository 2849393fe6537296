import Foundation

extension ImageMetadata {
    /// Fills in the values of an EXIF block (CIPA DC-008, EXIF 3.0), or of a TIFF file, which has the same structure.
    mutating func fill(exif bytes: Span<UInt8>) {
        guard let main = TIFFDirectory(firstOf: bytes) else { return }
        fill(\.orientation, main.orientation(in: bytes))
        fill(\.caption, main.text(0x010E, in: bytes))
        fill(\.camera.make, main.text(0x010F, in: bytes))
        fill(\.camera.model, main.text(0x0110, in: bytes))
        fill(\.software, main.text(0x0131, in: bytes))
        fill(\.artist, main.text(0x013B, in: bytes))
        fill(\.copyright, main.text(0x8298, in: bytes))
        fill(\.resolution, main.resolution(in: bytes))
        if let camera = main.directory(0x8769, in: bytes) { fill(camera, bytes) }
        if let place = main.directory(0x8825, in: bytes) { fill(\.location, Location(place, in: bytes)) }
    }

    private mutating func fill(_ camera: TIFFDirectory, _ bytes: Span<UInt8>) {
        fill(\.captureDate, camera.captureDate(in: bytes))
        fill(\.exposure.time, camera.number(0x829A, in: bytes))
        fill(\.exposure.fNumber, camera.number(0x829D, in: bytes))
        fill(\.exposure.iso, camera.sensitivity(in: bytes))
        fill(\.exposure.compensation, camera.number(0x9204, in: bytes))
        fill(\.exposure.flash, camera.integer(0x9209, in: bytes))
        fill(\.exposure.focalLength, camera.number(0x920A, in: bytes))
        // 0 means unknown.
        fill(\.exposure.focalLengthOn35mmFilm, camera.number(0xA405, in: bytes).flatMap { $0 > 0 ? $0 : nil })
        fill(\.lens.make, camera.text(0xA433, in: bytes))
        fill(\.lens.model, camera.text(0xA434, in: bytes))
    }
}

extension TIFFDirectory {
    fileprivate func resolution(in bytes: Span<UInt8>) -> ImageMetadata.Resolution? {
        let factor: Double
        switch integer(0x0128, in: bytes) ?? 2 {
        case 2: factor = 1
        case 3: factor = 2.54
        // 1 means that only the ratio of the two values is meaningful.
        default: return nil
        }
        return ImageMetadata.Resolution(number(0x011A, in: bytes), number(0x011B, in: bytes), perInch: factor)
    }

    fileprivate func captureDate(in bytes: Span<UInt8>) -> ImageMetadata.CaptureDate? {
        text(0x9003, in: bytes).flatMap {
            ImageMetadata.CaptureDate($0, fraction: text(0x9291, in: bytes), zone: text(0x9011, in: bytes))
        }
    }

    /// The ISO speed: two bytes, or four in another field if two aren't enough.
    fileprivate func sensitivity(in bytes: Span<UInt8>) -> Int? {
        guard let number = integer(0x8827, in: bytes) else { return nil }
        return number == 0xFFFF ? integer(0x8833, in: bytes) ?? integer(0x8832, in: bytes) ?? number : number
    }
}

extension ImageMetadata.Location {
    /// Returns nil if a coordinate is missing, or doesn't exist on Earth.
    fileprivate init?(_ place: TIFFDirectory, in bytes: Span<UInt8>) {
        func degrees(_ tag: Int, _ positive: String, _ negative: String) -> Double? {
            guard let reference = place.text(tag - 1, in: bytes), [positive, negative].contains(reference),
                let degrees = place.number(tag, 0, in: bytes), let minutes = place.number(tag, 1, in: bytes),
                let seconds = place.number(tag, 2, in: bytes)
            else { return nil }
            return (reference == negative ? -1 : 1) * (degrees + minutes / 60 + seconds / 3_600)
        }
        self.init(latitude: degrees(2, "N", "S"), longitude: degrees(4, "E", "W"))
        let sign: Double = place.integer(5, in: bytes) == 1 ? -1 : 1
        altitude = place.number(6, in: bytes).map { $0 * sign }
        direction = place.number(17, in: bytes)
        if let day = place.text(29, in: bytes), let hour = place.number(7, 0, in: bytes),
            let minute = place.number(7, 1, in: bytes), let second = place.number(7, 2, in: bytes),
            (0..<24).contains(hour), (0..<60).contains(minute), (0..<61).contains(second)
        {
            let midnight = ImageMetadata.CaptureDate(day + " 00:00", zone: "Z")?.date
            date = midnight?.addingTimeInterval((hour * 60 + minute) * 60 + second)
        }
    }

    /// Returns nil if a coordinate is missing, or doesn't exist on Earth.
    init?(latitude: Double?, longitude: Double?) {
        guard let latitude, let longitude, abs(latitude) <= 90, abs(longitude) <= 180 else { return nil }
        self.init(latitude: latitude, longitude: longitude)
    }
}
