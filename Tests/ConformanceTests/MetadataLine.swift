import Alcedo
import Foundation

/// A line of METADATA.jsonl: a file and what its fields are, by the names of that table.
struct MetadataLine: Sendable {
    /// A value of JSON.
    enum Value: Decodable, Equatable, Sendable {
        case null
        case bool(Bool)
        case number(Double)
        case text(String)
        case list([Value])
        case fields([String: Value])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .null
            } else if let value = try? container.decode(Bool.self) {
                self = .bool(value)
            } else if let value = try? container.decode(Double.self) {
                self = .number(value)
            } else if let value = try? container.decode(String.self) {
                self = .text(value)
            } else if let value = try? container.decode([Value].self) {
                self = .list(value)
            } else {
                self = .fields(try container.decode([String: Value].self))
            }
        }

        init(_ value: Double?) { self = value.map { .number($0) } ?? .null }
        init(_ value: String?) { self = value.map { .text($0) } ?? .null }

        subscript(name: String) -> Value {
            guard case .fields(let fields) = self else { return .null }
            return fields[name] ?? .null
        }

        var number: Double? { if case .number(let number) = self { number } else { nil } }
        var text: String? { if case .text(let text) = self { text } else { nil } }

        /// The tools print numbers with five to ten digits.
        func agrees(with other: Value) -> Bool {
            switch (self, other) {
            case (.number(let one), .number(let other)): abs(one - other) <= max(abs(one) * 1e-5, 1e-6)
            case (.fields(let one), .fields(let other)):
                Set(one.keys).union(other.keys).allSatisfy { (one[$0] ?? .null).agrees(with: other[$0] ?? .null) }
            default: self == other
            }
        }
    }

    private struct Object: Decodable {
        let file: String
        let damaged: Bool
        let fields: Value
        let expect: Value?
    }

    let file: String
    var isDamaged = false
    /// The accepted values of each field.
    var expected: [String: [Value]] = [:]

    init(file: String) { self.file = file }

    init(_ line: Substring) throws {
        let object = try JSONDecoder().decode(Object.self, from: Data(line.utf8))
        (file, isDamaged) = (object.file, object.damaged)
        let fields = object.fields
        // What the table has as it is. has_exif, has_xmp, has_iptc and thumbnail_bytes aren't offered.
        for name in [
            "orientation", "make", "model", "software", "date_original", "offset_original", "exposure_time", "f_number",
            "iso", "focal_length", "focal_length_35mm", "exposure_compensation", "flash", "lens_make", "lens_model",
            "gps", "pictures", "gain_map", "depth_map",
        ] {
            expected[name] = [fields[name]]
        }
        // Texts of several blocks, by precedence. The city, the rating and the keywords aren't offered.
        expected["description"] = [
            Self.first(fields, "description", xmp: "description", iptc: "caption", "description")
        ]
        expected["artist"] = [Self.first(fields, "artist", xmp: "creator", iptc: "byline", "author")]
        expected["copyright"] = [Self.first(fields, "copyright", xmp: "rights", iptc: "copyright", "copyright")]
        expected["title"] = [Self.first(fields, nil, xmp: "title", iptc: "object_name", "title")]
        expected["subsec_original"] = [Value(fields["subsec_original"].text.map(Self.fraction))]
        expected["resolution"] = [Self.resolution(fields)]
        expected["motion_photo"] = [
            fields["motion_photo"] == .null
                ? .null
                : .fields(["offset": fields["motion_photo"]["offset"], "length": fields["motion_photo"]["length"]])
        ]
        guard case .fields(let others)? = object.expect else { return }
        for (name, value) in others {
            if case .list(let values) = value { expected[name] = values } else { expected[name] = [value] }
        }
    }

    private static func first(
        _ fields: Value, _ exif: String?, xmp: String, iptc: String, _ text: String
    ) -> Value {
        let values = [
            exif.map { fields[$0] } ?? .null, fields["xmp"][xmp], fields["iptc"][iptc], fields["text"][text],
        ]
        let value = values.first { $0 != .null } ?? .null
        guard case .list(let list) = value else { return value }
        return .text(list.compactMap(\.text).joined(separator: "; "))
    }

    /// Pixels per inch.
    private static func resolution(_ fields: Value) -> Value {
        guard let unit = fields["resolution_unit"].number, unit == 2 || unit == 3,
            let horizontal = fields["x_resolution"].number, let vertical = fields["y_resolution"].number
        else { return .null }
        let factor = unit == 2 ? 1 : 2.54
        return .fields(["horizontal": .number(horizontal * factor), "vertical": .number(vertical * factor)])
    }

    /// Digits without the zeros at the end.
    private static func fraction(_ digits: String) -> String {
        String(digits.reversed().drop { $0 == "0" }.reversed())
    }

    // MARK: What Alcedo reads

    static func fields(of metadata: ImageMetadata) -> [String: Value] {
        let (date, exposure) = (metadata.captureDate, metadata.exposure)
        var fields: [String: Value] = [
            "orientation": Value(metadata.orientation.map { Double($0.rawValue) }),
            "make": Value(metadata.camera.make), "model": Value(metadata.camera.model),
            "lens_make": Value(metadata.lens.make), "lens_model": Value(metadata.lens.model),
            "software": Value(metadata.software), "artist": Value(metadata.artist),
            "copyright": Value(metadata.copyright), "description": Value(metadata.caption),
            "title": Value(metadata.title), "exposure_time": Value(exposure.time), "f_number": Value(exposure.fNumber),
            "iso": Value(exposure.iso.map(Double.init)), "focal_length": Value(exposure.focalLength),
            "focal_length_35mm": Value(exposure.focalLengthOn35mmFilm),
            "exposure_compensation": Value(exposure.compensation), "flash": Value(exposure.flash.map(Double.init)),
            "pictures": .number(Double(metadata.pictureCount)), "depth_map": .bool(metadata.hasDepthMap),
        ]
        let gainMaps: [ImageMetadata.GainMap: String] = [.iso: "iso21496-1", .adobe: "hdrgm-xmp", .apple: "apple"]
        fields["gain_map"] = Value(metadata.gainMap.flatMap { gainMaps[$0] })
        fields["date_original"] = Value(
            date.map {
                String(
                    format: "%04d:%02d:%02d %02d:%02d:%02d", $0.year, $0.month, $0.day, $0.hour, $0.minute, $0.second)
            })
        let digits = date.flatMap { $0.nanosecond == 0 ? nil : String(format: "%09d", $0.nanosecond) }
        fields["subsec_original"] = Value(digits.map(fraction))
        fields["offset_original"] = Value(date.flatMap { $0.secondsFromUTC == nil ? nil : String("\($0)".suffix(6)) })
        fields["resolution"] = metadata.resolution.map {
            .fields(["horizontal": .number($0.horizontal), "vertical": .number($0.vertical)])
        }
        fields["motion_photo"] = metadata.motionPhotoVideo.map {
            .fields(["offset": .number(Double($0.lowerBound)), "length": .number(Double($0.count))])
        }
        fields["gps"] = metadata.location.map(place)
        return fields
    }

    private static func place(_ location: ImageMetadata.Location) -> Value {
        // As 2021-07-08T07:10:11Z.
        let text: String? = location.date?.formatted(.iso8601)
        let date: String? = text.map { String($0.prefix(10)).replacing("-", with: ":") }
        let time: String? = text.map { String($0.dropFirst(11).prefix(8)) }
        return .fields([
            "latitude": .number(location.latitude), "longitude": .number(location.longitude),
            "altitude": Value(location.altitude), "direction": Value(location.direction),
            "date": Value(date), "time": Value(time),
        ])
    }
}
