#if os(Linux) && JPEG && PNG && WebP && AVIF && ColorProfiles
import Alcedo
import Foundation
import Testing

/// JPEG, PNG, WebP, AVIF, HEIC, TIFF and JPEG XL in many color spaces, each converted to sRGB, beside what independent
/// tools make of them.
///
/// The files are those of COLOUR.tsv in a folder of `ALCEDO_CORPUS`, and its FORMAT.md defines the columns.
struct ColorConformanceTests {
    struct File: CustomTestStringConvertible, Sendable {
        let folder: URL
        let columns: [String: String]

        var name: String { columns["file"] ?? "" }
        var testDescription: String { name }

        func pixels(in column: String) throws -> Data? {
            guard let path = columns[column], path != "-" else { return nil }
            return try Data(contentsOf: folder.appending(path: path))
        }
    }

    private static let formats: Set<String?> = {
        var formats: Set<String?> = ["jpeg", "png", "webp", "avif"]
        #if HEIC
        formats.insert("heic")
        #endif
        #if TIFF
        formats.insert("tiff")
        #endif
        #if JPEGXL
        formats.insert("jxl")
        #endif
        return formats
    }()

    static let files: [File] = ImageCorpus.folders.flatMap { folder -> [File] in
        guard let table = try? String(contentsOf: folder.appending(path: "COLOUR.tsv"), encoding: .utf8) else {
            return []
        }
        let lines = table.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
        return lines.dropFirst().map { line in
            File(folder: folder, columns: Dictionary(uniqueKeysWithValues: zip(lines[0], line)))
        }
        .filter { formats.contains($0.columns["format"]) }
    }

    /// Files whose colors are wrong, with the reason.
    private static let deviations: [String: String] = [:]

    private func difference(_ image: Bitmap, _ reference: Data) -> (mean: Double, most: Double) {
        let (width, height) = (image.size.width, image.size.height)
        guard reference.count == width * height * 4 else { return (.infinity, .infinity) }
        let bytes = [UInt8](reference)
        var (sum, most) = (0.0, 0.0)
        for index in 0..<width * height {
            let expected = SIMD4(bytes[index * 4], bytes[index * 4 + 1], bytes[index * 4 + 2], bytes[index * 4 + 3])
            let difference = colorDifference(image[index % width, index / width], expected)
            (sum, most) = (sum + difference, max(most, difference))
        }
        return (sum / Double(width * height), most)
    }

    @Test(arguments: files) func colors_areThoseOfTheReference(_ file: File) throws {
        let bytes = try Data(contentsOf: file.folder.appending(path: file.name))
        var request = DecodeRequest()
        request.convertsToSRGB = true
        let image = try ImageDecoders.builtIn.decode(bytes, request).bitmap
        // Where there is no single truth, the table has no tolerances.
        let allowed = (
            mean: file.columns["tol_mean_de2000"].flatMap(Double.init) ?? 1,
            most: file.columns["tol_max_de2000"].flatMap(Double.init) ?? 3
        )
        let differences = try ["srgb_file", "alt_file"].compactMap { try file.pixels(in: $0) }
            .map { difference(image, $0) }
        #expect(!differences.isEmpty)
        let isRight = differences.contains { $0.mean <= allowed.mean && $0.most <= allowed.most }
        #expect(isRight == (Self.deviations[file.name] == nil), "\(differences), allowed \(allowed)")
    }

    /// The first folder need not have colors.
    @Test func otherFolders_haveATable() {
        for folder in ImageCorpus.folders.dropFirst() {
            #expect(Self.files.contains { $0.folder == folder }, "\(folder.path)")
        }
    }

    @Test func differenceOfBlackAndWhite_isHundred() {
        #expect(colorDifference([10, 20, 30, 255], [10, 20, 30, 255]) == 0)
        #expect(abs(colorDifference([0, 0, 0, 255], [255, 255, 255, 255]) - 100) < 0.01)
    }
}
#endif
