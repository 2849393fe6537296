import Alcedo
import Foundation
import Testing

/// The image conformance set: third-party pictures with the outcome and the pixels that independent decoders agree on.
///
/// It is not part of the repository. `ALCEDO_CORPUS` names its folder, the one in which MANIFEST.tsv lies; its
/// FORMAT.md defines the columns and rules that these tests keep to.
enum ImageCorpus {
    static let folder = ProcessInfo.processInfo.environment["ALCEDO_CORPUS"].map { URL(fileURLWithPath: $0) }

    #if AVIF
    private static let formats: Set = ["jpeg", "png", "apng", "gif", "webp", "avif"]
    #else
    private static let formats: Set = ["jpeg", "png", "apng", "gif", "webp"]
    #endif

    /// All rows of the formats that are decoded; none when there is no corpus.
    static let rows = lines(of: "MANIFEST.tsv").filter { formats.contains($0.format) }

    /// The formats that have animations.
    static let playedFormats: Set = ["gif", "apng", "webp", "avif"]

    /// The frames of each animation, by its file; only of those whose pixels are to be checked.
    static let frames = Dictionary(grouping: lines(of: "FRAMES.tsv"), by: \.file)

    /// What is there of a file after so many of its bytes, in their order, by the file.
    static let prefixes = Dictionary(grouping: lines(of: "PROGRESSIVE.tsv"), by: \.file)

    /// What older libraries make of a file, whose own tools say the same.
    static let knownDifferences = [
        "images/avif/libavif__draw_points_idat_metasize0.avif": "libavif 0.11 refuses a box without a size",
        "images/avif/libavif__color_grid_alpha_nogrid.avif": "libavif 0.11 has another alpha for a grid without one",
    ]

    static let tally = ConformanceTally(rows)

    private static func lines(of name: String) -> [Row] {
        guard let folder, let text = try? String(contentsOf: folder.appending(path: name), encoding: .utf8) else {
            return []
        }
        let lines = text.split(separator: "\n").map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
        guard let names = lines.first else { return [] }
        return lines.dropFirst().map {
            Row(
                fields: Dictionary(
                    zip(names.map(String.init), $0.map(String.init)), uniquingKeysWith: { a, _ in a }))
        }
    }

    static func contents(of path: String) throws -> Data {
        guard let folder else { return Data() }
        return try Data(contentsOf: folder.appending(path: path))
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let fields: [String: String]

        var testDescription: String { file }
        var file: String { fields["file", default: ""] }
        var format: String { fields["format", default: ""] }
        var outcome: String { fields["outcome", default: ""] }
        var check: String { fields["check", default: ""] }
        var referenceFile: String { fields["ref_file", default: ""] }
        var premultipliedHash: String { fields["sha256_premul", default: ""] }

        /// The hash of the still picture: of an animation the columns tell the first frame, and where the still picture
        /// is none of the frames and there is no animation, the notes tell its own (all of those are opaque, so both
        /// kinds of alpha agree).
        var stillHash: String {
            let note = fields["notes", default: ""].components(
                separatedBy: "default image is not a frame; its sha256_rgba=")
            return note.count == 2 && number("frames") == 1 ? String(note[1].prefix(64)) : premultipliedHash
        }

        /// How often an animation is shown. GIF tells how often again, the other formats how often; AVIF does not tell, and
        /// is shown for ever.
        var loopCount: LoopCount {
            guard let value = number("loop") else { return format == "avif" ? .forever : .times(1) }
            return value == 0 ? .forever : .times(format == "gif" ? value + 1 : value)
        }

        func number(_ name: String) -> Int? { fields[name].flatMap { Int($0) } }
        var tolerance: Double? { fields["tol_mad"].flatMap { Double($0) } }
    }
}
