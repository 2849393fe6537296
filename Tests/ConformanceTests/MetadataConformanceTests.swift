import Alcedo
import Foundation
import Testing

/// The metadata of many files, compared with what independent tools read.
///
/// The files are those of METADATA.jsonl in a folder of `ALCEDO_CORPUS`, and its FORMAT.md defines the fields.
struct MetadataConformanceTests {
    struct File: CustomTestStringConvertible, Sendable {
        let folder: URL
        let line: MetadataLine

        var testDescription: String { line.file }
    }

    static let files: [File] = ImageCorpus.folders.flatMap { folder -> [File] in
        guard let table = try? String(contentsOf: folder.appending(path: "METADATA.jsonl"), encoding: .utf8) else {
            return []
        }
        return table.split(separator: "\n").map { line in
            do {
                return File(folder: folder, line: try MetadataLine(line))
            } catch {
                // A file that doesn't exist fails the test.
                return File(folder: folder, line: MetadataLine(file: "\(error) in \(line.prefix(200))"))
            }
        }
    }

    /// Fields that differ from those of the other tools, with the reason.
    private static let deviations = [
        "own__xmp-extended.jpg description": "blanks around texts are removed",
        "own__bad-entry-count.jpg make": "entries before the end of the block are read, as Pillow does",
        "own__bad-entry-count.jpg orientation": "entries before the end of the block are read, as Pillow does",
        "pillow__xmp_tags_orientation_exiftool.png resolution": "the table lacks the density of PNG",
        "pillow__xmp_tags_orientation_exiftool.png software": "the table lacks the creator tool of XMP",
    ]

    @Test(arguments: files) func fields_areThoseOfTheOtherTools(_ file: File) throws {
        let bytes = try Data(contentsOf: file.folder.appending(path: file.line.file))
        let found = MetadataLine.fields(of: try ImageMetadata(of: bytes))
        for (name, accepted) in file.line.expected {
            let value = found[name] ?? .null
            // A reader of a damaged file may leave out anything, and invents nothing.
            let isRight = accepted.contains { $0.agrees(with: value) } || file.line.isDamaged && value == .null
            let place = file.line.file.split(separator: "/").last.map { "\($0) \(name)" } ?? ""
            #expect(isRight == (Self.deviations[place] == nil), "\(name): \(value), not \(accepted)")
        }
    }

    @Test func deviations_areOfFiles() {
        let places = Self.files.flatMap { file in
            file.line.expected.keys.map { "\(file.line.file.split(separator: "/").last ?? "") \($0)" }
        }
        #expect(Self.files.isEmpty || Set(Self.deviations.keys).isSubset(of: places))
    }
}
