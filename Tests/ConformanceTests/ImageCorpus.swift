import Alcedo
import Foundation
import Testing

/// An image conformance set: images with the outcome and the pixels that independent decoders agree on.
///
/// `ALCEDO_CORPUS` names the folders of one set or of several, each with its MANIFEST.tsv, between colons. Without it,
/// the small set in Fixtures is used. The set's FORMAT.md defines the columns and the rules that these tests follow.
/// Nothing depends on which files a set has.
struct ImageCorpus: Sendable {
    let folder: URL
    /// The lines of MANIFEST.tsv, one per file.
    let rows: [Row]
    /// The lines of FRAMES.tsv by their file: the frames of animations whose pixels are checked.
    let frames: [String: [Row]]
    /// The lines of PROGRESSIVE.tsv by their file: what can be decoded from prefixes of increasing length.
    let prefixes: [String: [Row]]
    /// The SHA-256 of MANIFEST.tsv, which identifies the set.
    let digest: String

    /// The folders that `ALCEDO_CORPUS` names.
    static let folders = (ProcessInfo.processInfo.environment["ALCEDO_CORPUS"] ?? "").split(separator: ":")
        .map { URL(filePath: String($0)) }

    /// The sets to test with, or the reasons why they can't be read.
    static let all = (folders.isEmpty ? [Fixtures.folder.appending(path: "images")] : folders).map { folder in
        Result { () throws(Damage) in try ImageCorpus(folder) }
    }

    /// The sets that can be read.
    static let readable = all.compactMap { try? $0.get() }

    init(_ folder: URL) throws(Damage) {
        self.folder = folder
        let manifest = try Self.bytes(of: "MANIFEST.tsv", in: folder)
        rows = try Self.lines(manifest, of: "MANIFEST.tsv", columns: Self.manifestColumns)
        digest = SHA256.digest(of: [UInt8](manifest)).hexadecimal
        frames = try Self.linesByFile("FRAMES.tsv", ["file", "index", "delay_ms", "check", "sha256_premul"], folder)
        prefixes = try Self.linesByFile(
            "PROGRESSIVE.tsv", ["file", "format", "prefix_bytes", "unit", "complete_units", "mad_to_final"], folder)
        guard !rows.isEmpty else { throw Damage("MANIFEST.tsv lists no files") }
        var files: Set<String> = []
        for row in rows {
            try row.validate()
            guard files.insert(row.file).inserted else { throw row.damage("a second line for the same file") }
            guard FileManager.default.fileExists(atPath: folder.appending(path: row.file).path) else {
                throw row.damage("the file does not exist")
            }
        }
        let others = frames.values.joined() + Array(prefixes.values.joined())
        if let row = others.first(where: { !files.contains($0.file) }) {
            throw row.damage("MANIFEST.tsv does not list the file")
        }
    }

    func contents(of path: String) throws -> Data { try Data(contentsOf: folder.appending(path: path)) }

    /// The reason why a folder can't be read as a set.
    struct Damage: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }
}

// MARK: Files

extension ImageCorpus {
    private static let manifestColumns = [
        "file", "format", "width", "height", "frames", "loop", "orientation", "alpha", "outcome", "check",
        "sha256_premul", "sha256_alt", "ref_file", "ref_cols", "ref_rows", "tol_mad", "notes", "bytes", "sha256_file",
    ]

    private static func bytes(of name: String, in folder: URL) throws(Damage) -> Data {
        do {
            return try Data(contentsOf: folder.appending(path: name))
        } catch {
            throw Damage("\(name) can't be read in \(folder.path): \(error.localizedDescription)")
        }
    }

    /// Empty if the set has no such file, such as one without animations.
    private static func linesByFile(_ name: String, _ columns: [String], _ folder: URL) throws(Damage) -> [String:
        [Row]]
    {
        guard FileManager.default.fileExists(atPath: folder.appending(path: name).path) else { return [:] }
        return Dictionary(grouping: try lines(bytes(of: name, in: folder), of: name, columns: columns), by: \.file)
    }

    private static func lines(_ bytes: Data, of name: String, columns: [String]) throws(Damage) -> [Row] {
        guard let text = String(data: bytes, encoding: .utf8) else { throw Damage("\(name) is not UTF-8") }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
            .filter { !$0.element.isEmpty }
            .map {
                (number: $0.offset + 1, fields: $0.element.split(separator: "\t", omittingEmptySubsequences: false))
            }
        let names = lines.first?.fields.map(String.init) ?? []
        if let missing = columns.first(where: { !names.contains($0) }) {
            throw Damage("\(name) has no column \"\(missing)\" in its first line")
        }
        var rows: [Row] = []
        for line in lines.dropFirst() {
            guard line.fields.count == names.count else {
                throw Damage("\(name), line \(line.number): \(line.fields.count) fields, not \(names.count)")
            }
            let fields = zip(names, line.fields.map(String.init))
            rows.append(Row(place: "\(name), line \(line.number)", fields: .init(fields) { first, _ in first }))
        }
        return rows
    }
}

// MARK: Lines

extension ImageCorpus {
    struct Row: Sendable, CustomTestStringConvertible {
        /// The table and the line number.
        let place: String
        let fields: [String: String]

        var testDescription: String { file }
        var file: String { self["file"] }
        var format: String { self["format"] }
        var outcome: String { self["outcome"] }
        var check: String { self["check"] }

        subscript(name: String) -> String { fields[name, default: "-"] }
        func number(_ name: String) -> Int? { Int(self[name]) }
        func damage(_ text: String) -> Damage { Damage("\(place), \(file): \(text)") }

        /// Whether the pixels are checked.
        var hasPixels: Bool { check == "exact" || check == "mad" }

        /// The hash of the still image, premultiplied. If the still image is not a frame, the columns describe the
        /// first frame, and the notes have the still image's hash; all of these are opaque, so both kinds of alpha
        /// agree.
        var stillHash: String {
            let note = self["notes"].components(separatedBy: "default image is not a frame; its sha256_rgba=")
            return note.count == 2 && number("frames") == 1 ? String(note[1].prefix(64)) : self["sha256_premul"]
        }

        /// How often an animation is played. GIF stores the number of repetitions, the other formats that of plays.
        /// AVIF stores neither and repeats forever.
        var plays: Int {
            guard let value = number("loop") else { return format == "avif" ? 0 : 1 }
            return value > 0 && format == "gif" ? value + 1 : value
        }

        static let outcomes = ["ok", "error", "partial", "optional"]

        /// Throws unless it has what these tests need from a line of the manifest.
        fileprivate func validate() throws(Damage) {
            guard Self.outcomes.contains(outcome) else { throw damage("\"\(outcome)\" is not an outcome") }
            guard ["exact", "mad", "dims", "dims-min", "none"].contains(check) else {
                throw damage("\"\(check)\" is not a check")
            }
            for name in check == "none" ? ["bytes"] : ["bytes", "width", "height"] where number(name) == nil {
                throw damage("\(name) is \"\(self[name])\", not a number")
            }
            // Straight and premultiplied colors are the same in an opaque image.
            let digest = self["alpha"] == "opaque" && self["sha256_premul"] == "-" ? "sha256_rgba" : "sha256_premul"
            for name in check == "exact" ? [digest, "sha256_file"] : ["sha256_file"] where self[name].count != 64 {
                throw damage("\(name) is \"\(self[name])\", not a SHA-256")
            }
            if check == "mad", Double(self["tol_mad"]) == nil || self["ref_file"] == "-" {
                throw damage("a check by differences needs ref_file and tol_mad")
            }
        }
    }
}

/// The small sets in the repository.
enum Fixtures {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")
}
