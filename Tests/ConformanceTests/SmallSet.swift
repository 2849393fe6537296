#if os(Linux) && JPEG && PNG && GIF
import Alcedo
import AlcedoTestSupport
import Foundation

/// A small conformance set of generated images, in its own directory.
///
/// It has a different number of files than the real sets, different names, and every outcome and check.
struct SmallSet {
    private let directory: TemporaryDirectory
    var url: URL { directory.url }
    /// The columns of each line of MANIFEST.tsv; missing ones are "-".
    private(set) var manifest: [[String: String]] = []
    private var frames: [[String: String]] = []

    private static let columns = [
        "file", "format", "width", "height", "frames", "loop", "durations_ms", "orientation", "alpha", "features",
        "outcome", "check", "sha256_rgba", "sha256_premul", "sha256_alt", "alt_meaning", "ref_file", "ref_cols",
        "ref_rows", "tol_mad", "verified", "notes", "source", "licence", "bytes", "sha256_file",
    ]
    private static let frameColumns = [
        "file", "index", "delay_ms", "check", "sha256_rgba", "sha256_premul", "tol_mad", "ref_file", "ref_offset",
        "ref_cols", "ref_rows",
    ]

    init() throws {
        directory = try TemporaryDirectory()
        try addStills()
        try addAnimations()
        let png = try PNGEncoder().encode(Pictures.noise(9, 7, seed: 1))
        let size = ["width": "9", "height": "7", "outcome": "partial", "check": "dims"]
        try add("cut.png", png.prefix(png.count / 2), "png", size)
        try add("page.png", Data("<!DOCTYPE html><p>Not found".utf8), "other", ["outcome": "error", "check": "none"])
        try add("empty", Data(), "other", ["outcome": "error", "check": "none"])
        let lossless: [UInt8] = [0xFF, 0xD8, 0xFF, 0xC3, 0, 11, 8, 0, 8, 0, 8, 1, 1, 0x11, 0]
        try add(
            "lossless.jpg", Data(lossless), "jpeg",
            ["width": "8", "height": "8", "outcome": "optional", "check": "dims"])
        try write()
    }

    private mutating func addStills() throws {
        let noise = try Pictures.noise(9, 7, seed: 1)
        let digest = SHA256.digest(of: Self.bytes(noise)).hexadecimal
        let exact = ["width": "9", "height": "7", "frames": "1", "outcome": "ok", "check": "exact"]
        try add("noise.png", PNGEncoder().encode(noise), "png", exact.merging(["sha256_premul": digest]) { $1 })
        // Rotated by big-endian EXIF with one entry, after the start marker.
        let gradient = try Pictures.gradient(16, 8)
        let exif: [UInt8] =
            [0xFF, 0xE1, 0, 34] + Array("Exif\0\0MM\0*".utf8) + [0, 0, 0, 8, 0, 1, 1, 18, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0]
            + [0, 0, 0, 0]
        let jpeg = try JPEGEncoder(quality: 95).encode(gradient)
        try Data(Self.bytes(gradient)).write(to: url.appending(path: "turned.rgba"))
        let mad = ["width": "16", "height": "8", "frames": "1", "outcome": "ok", "check": "mad", "orientation": "6"]
        let reference = ["ref_file": "turned.rgba", "ref_cols": "16", "ref_rows": "8", "tol_mad": "6.0"]
        try add("turned.jpg", jpeg.prefix(2) + exif + jpeg.dropFirst(2), "jpeg", mad.merging(reference) { $1 })
    }

    private mutating func addAnimations() throws {
        let colors: [SIMD4<UInt8>] = [[200, 40, 20, 255], [0, 0, 0, 255], [9, 200, 30, 255]]
        let pictures = try colors.map { try Pictures.plain(6, 5, $0) }
        let moving = pictures.map { AnimationFrame($0, delay: .milliseconds(70)) }
        let digests = pictures.map { SHA256.digest(of: Self.bytes($0)).hexadecimal }
        let exact = [
            "width": "6", "height": "5", "frames": "3", "outcome": "ok", "check": "exact", "alpha": "opaque",
            "sha256_rgba": digests[0], "sha256_premul": digests[0],
        ]
        try add(
            "moving.gif", GIFEncoder().encode(moving, loopCount: .times(3)), "gif", exact.merging(["loop": "2"]) { $1 })
        try add(
            "moving.png", PNGEncoder().encode(moving, loopCount: .times(3)), "apng", exact.merging(["loop": "3"]) { $1 }
        )
        for file in ["moving.gif", "moving.png"] {
            for (index, digest) in digests.enumerated() {
                frames.append([
                    "file": file, "index": "\(index)", "delay_ms": "70", "check": "exact", "sha256_premul": digest,
                ])
            }
        }
    }

    private mutating func add(_ name: String, _ data: Data, _ format: String, _ fields: [String: String]) throws {
        try data.write(to: url.appending(path: name))
        var line = fields
        (line["file"], line["format"]) = (name, format)
        (line["bytes"], line["sha256_file"]) = ("\(data.count)", SHA256.digest(of: [UInt8](data)).hexadecimal)
        manifest.append(line)
    }

    /// Changes a column of a file, correctly or not.
    mutating func change(_ file: String, _ column: String, to value: String) throws {
        for index in manifest.indices where manifest[index]["file"] == file { manifest[index][column] = value }
        try write()
    }

    /// Changes a column of all frames of a file.
    mutating func changeFrames(of file: String, _ column: String, to value: String) throws {
        for index in frames.indices where frames[index]["file"] == file { frames[index][column] = value }
        try write()
    }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: url.appending(path: name))
    }

    private func write() throws {
        try write(Self.table(Self.columns, manifest), to: "MANIFEST.tsv")
        try write(Self.table(Self.frameColumns, frames), to: "FRAMES.tsv")
    }

    private static func table(_ columns: [String], _ lines: [[String: String]]) -> String {
        let fields = lines.map { line in columns.map { line[$0] ?? "-" } }
        return ([columns] + fields).map { $0.joined(separator: "\t") + "\n" }.joined()
    }

    private static func bytes(_ bitmap: Bitmap) -> [UInt8] {
        bitmap.withBytes { bytes in bytes.withUnsafeBytes { [UInt8]($0) } }
    }
}
#endif
