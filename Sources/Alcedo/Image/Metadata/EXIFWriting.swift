import Foundation

extension ImageMetadata {
    /// An EXIF block (CIPA DC-008, EXIF 3.0) with all values that EXIF has fields for, except the orientation; nil if
    /// there are none.
    func exif(includesLocation: Bool) -> Data? {
        var (main, camera, place) = (mainFields, cameraFields, TIFFFields())
        if includesLocation, let location { place = location.fields }
        if main.isEmpty, camera.isEmpty, place.isEmpty { return nil }
        if !camera.isEmpty { camera.add(0x9000, bytes: Array("0232".utf8)) }
        let directories = [(0x8769, camera), (0x8825, place)].filter { !$0.1.isEmpty }
        // The header, and a field of 12 bytes for each directory.
        var start = 8 + main.length + 12 * directories.count
        var others: [UInt8] = []
        for (tag, directory) in directories {
            main.add(tag, long: start)
            others += directory.bytes(at: start)
            start += directory.length
        }
        return Data(Array("II*\0".utf8) + TIFFFields.bytes(8, 4) + main.bytes(at: 8) + others)
    }

    private var mainFields: TIFFFields {
        var fields = TIFFFields()
        fields.add(0x010E, text: caption)
        fields.add(0x010F, text: camera.make)
        fields.add(0x0110, text: camera.model)
        fields.add(0x0131, text: software)
        fields.add(0x013B, text: artist)
        fields.add(0x8298, text: copyright)
        if let resolution {
            fields.add(0x011A, fractions: [resolution.horizontal])
            fields.add(0x011B, fractions: [resolution.vertical])
            fields.add(0x0128, word: 2)
        }
        return fields
    }

    private var cameraFields: TIFFFields {
        var fields = TIFFFields()
        if let captureDate {
            fields.add(0x9003, text: captureDate.exifText)
            fields.add(0x9291, text: captureDate.fraction)
            fields.add(0x9011, text: captureDate.zone)
        }
        fields.add(0x829A, fractions: exposure.time.map { [$0] })
        fields.add(0x829D, fractions: exposure.fNumber.map { [$0] })
        if let iso = exposure.iso {
            fields.add(0x8827, word: min(iso, 0xFFFF))
            if iso >= 0xFFFF { fields.add(0x8833, long: iso) }
        }
        fields.add(0x9204, fractions: exposure.compensation.map { [$0] }, isSigned: true)
        fields.add(0x9209, word: exposure.flash)
        fields.add(0x920A, fractions: exposure.focalLength.map { [$0] })
        fields.add(0xA405, word: exposure.focalLengthOn35mmFilm.flatMap { Int(exactly: $0.rounded()) })
        fields.add(0xA433, text: lens.make)
        fields.add(0xA434, text: lens.model)
        return fields
    }
}

extension ImageMetadata.Location {
    fileprivate var fields: TIFFFields {
        var fields = TIFFFields()
        fields.add(1, text: latitude < 0 ? "S" : "N")
        fields.add(2, fractions: Self.angle(latitude))
        fields.add(3, text: longitude < 0 ? "W" : "E")
        fields.add(4, fractions: Self.angle(longitude))
        if let altitude {
            fields.add(5, bytes: [altitude < 0 ? 1 : 0])
            fields.add(6, fractions: [abs(altitude)])
        }
        fields.add(17, fractions: direction.map { [$0] })
        // The date and the time of day, in UTC.
        if let date, abs(date.timeIntervalSince1970) < Self.endOfTime,
            let day = ImageMetadata.CaptureDate(date.formatted(.iso8601))
        {
            let second = date.timeIntervalSince1970.remainder(dividingBy: 86_400)
            let time = second < 0 ? second + 86_400 : second
            fields.add(29, text: String(day.exifText.prefix(10)))
            let whole = time.rounded(.down)
            let (hour, minute) = ((whole / 3_600).rounded(.down), (whole / 60).rounded(.down))
            fields.add(7, fractions: [hour, minute - hour * 60, time - minute * 60])
        }
        return fields
    }

    /// The end of the year 9999; EXIF has four digits.
    private static let endOfTime = 253_402_300_800.0

    /// Degrees, minutes and seconds, rounded to a millionth of a second, which is 30 micrometers on the ground.
    private static func angle(_ degrees: Double) -> [Double]? {
        guard degrees.isFinite, abs(degrees) <= 180 else { return nil }
        let millionths = Int((abs(degrees) * 3_600_000_000).rounded())
        return [
            Double(millionths / 3_600_000_000), Double(millionths / 60_000_000 % 60),
            Double(millionths % 60_000_000) / 1_000_000,
        ]
    }
}

extension ImageMetadata.CaptureDate {
    /// The date and time in EXIF's format, such as `2021:07:08 09:10:11`.
    fileprivate var exifText: String {
        let text = description.prefix(19)
        return text.prefix(10).replacing("-", with: ":") + " " + text.dropFirst(11)
    }

    /// The digits of the fraction of the second; nil for a whole second.
    fileprivate var fraction: String? {
        nanosecond == 0 ? nil : description.split(separator: ".")[1].prefix(while: \.isNumber).description
    }

    /// The offset from UTC, such as `+02:00`.
    fileprivate var zone: String? { secondsFromUTC == nil ? nil : String(description.suffix(6)) }
}
