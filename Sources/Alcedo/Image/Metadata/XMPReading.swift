extension ImageMetadata {
    /// Fills in the values of an XMP packet (ISO 16684-1, CIPA DC-010).
    mutating func fill(_ packet: XMPPacket) {
        fill(
            \.captureDate,
            (packet["exif:DateTimeOriginal"] ?? packet["photoshop:DateCreated"]).flatMap {
                CaptureDate($0)
            })
        fill(\.camera.make, packet["tiff:Make"])
        fill(\.camera.model, packet["tiff:Model"])
        fill(\.lens.make, packet["exifEX:LensMake"])
        fill(\.lens.model, packet["exifEX:LensModel"] ?? packet["aux:Lens"])
        fill(\.exposure.time, packet.number("exif:ExposureTime"))
        fill(\.exposure.fNumber, packet.number("exif:FNumber"))
        fill(\.exposure.iso, packet.integer("exifEX:PhotographicSensitivity") ?? packet.integer("exif:ISOSpeedRatings"))
        fill(\.exposure.compensation, packet.number("exif:ExposureBiasValue"))
        fill(\.exposure.focalLength, packet.number("exif:FocalLength"))
        fill(\.exposure.focalLengthOn35mmFilm, packet.number("exif:FocalLengthIn35mmFilm"))
        fill(\.location, Location(packet))
        fill(\.title, packet["dc:title"])
        fill(\.caption, packet["dc:description"])
        fill(\.artist, packet["dc:creator"])
        fill(\.copyright, packet["dc:rights"])
        fill(\.software, packet["xmp:CreatorTool"])
        if packet["GDepth:Format"] != nil || packet["GDepth:Mime"] != nil { hasDepthMap = true }
    }
}

extension XMPPacket {
    /// A number, or a fraction such as `1/250`.
    fileprivate func number(_ name: String) -> Double? { self[name].flatMap(Self.number) }

    /// The integer at the start of a value, which may list several.
    fileprivate func integer(_ name: String) -> Int? {
        self[name].flatMap { Int($0.prefix { $0.isASCII && $0.isNumber }) }
    }

    fileprivate static func number(_ text: String) -> Double? {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map { Double($0) }
        guard let dividend = parts.first ?? nil, let divisor = parts.count == 2 ? parts[1] : 1 else { return nil }
        let value = dividend / divisor
        return value.isFinite ? value : nil
    }
}

extension ImageMetadata.Location {
    /// Coordinates are texts such as `33,30.5S` or `33,30,30S`.
    fileprivate init?(_ packet: XMPPacket) {
        func degrees(_ name: String, _ positive: Character, _ negative: Character) -> Double? {
            guard let text = packet[name], let reference = text.last, [positive, negative].contains(reference) else {
                return nil
            }
            let parts = text.dropLast().split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
            guard (2...3).contains(parts.count), let degrees = parts[0], let minutes = parts[1],
                let seconds = parts.count == 3 ? parts[2] : 0
            else { return nil }
            return (reference == negative ? -1 : 1) * (degrees + minutes / 60 + seconds / 3_600)
        }
        self.init(
            latitude: degrees("exif:GPSLatitude", "N", "S"), longitude: degrees("exif:GPSLongitude", "E", "W"))
        let sign: Double = packet["exif:GPSAltitudeRef"] == "1" ? -1 : 1
        altitude = packet.number("exif:GPSAltitude").map { $0 * sign }
    }
}
