#if os(Linux) && JPEG
import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

/// The table of ready-made processors in the article on processing, and the picture above it.
///
/// `ALCEDO_PICTURES=Docs/Alcedo.docc/Resources swift test --filter ProcessorSheetTests` makes the picture anew.
@Suite(.timeLimit(.minutes(1))) struct ProcessorSheetTests {
    private static let folder = ProcessInfo.processInfo.environment["ALCEDO_PICTURES"]
    /// The divisor for all lengths where the picture isn't kept: a debug build draws slowly.
    private static let reduction = folder == nil ? 4 : 1

    private static func length(_ pixels: Int) -> Double { Double(pixels) / Double(reduction) }

    /// A row of the table and its cell in the picture: what is written in the table, and what is drawn.
    private static func cells() throws -> [(code: String, processors: [any ImageProcessing])] {
        let (badge, square) = (try badge(), PixelSize(width: 90 / reduction, height: 90 / reduction))
        let violet = PixelColor(red: 120, green: 40, blue: 200)
        let white = PixelColor(red: 255, green: 255, blue: 255)
        return [
            ("none", []),
            (".resize(to: size, mode: .fit)", [.resize(to: square, mode: .fit)]),
            (".crop(to: size, at: .center)", [.crop(to: square)]),
            (".rotate(.clockwise)", [.rotate(.clockwise), .resize(to: cell, mode: .fit)]),
            (".flip(.horizontal)", [.flip(.horizontal)]),
            (".roundedCorners(radius: 24)", [.roundedCorners(radius: .pixels(length(24)))]),
            (
                ".roundedCorners(radius: 24, corners: [.topLeft, .topRight])",
                [.roundedCorners(radius: .pixels(length(24)), corners: [.topLeft, .topRight])]
            ),
            (".circle()", [.circle()]),
            (".circle(border: border)", [.circle(border: PixelBorder(width: length(4), color: white))]),
            (".border(width: 6, color: color)", [.border(width: length(6), color: violet)]),
            (".blur(radius: 6)", [.blur(radius: length(6))]),
            (".gray()", [.gray()]),
            (".colorControls(brightness: 0.2)", [.colorControls(brightness: 0.2)]),
            (".colorControls(saturation: 2)", [.colorControls(saturation: 2)]),
            (".colorControls(gamma: 2)", [.colorControls(gamma: 2)]),
            (".tint(color, strength: 0.6)", [.tint(violet, strength: 0.6)]),
            (".overlay(color, mode: .softLight)", [.overlay(violet, mode: .softLight)]),
            (".blend(picture, mode: .multiply)", [.blend(badge, mode: .multiply)]),
            (".blend(picture, mode: .difference)", [.blend(badge, mode: .difference)]),
            (".watermark(picture, at: .bottomRight)", [.watermark(badge)]),
            (".opacity(0.4)", [.opacity(0.4)]),
            ("[.circle(), .background(color)]", [.circle(), .background(violet)]),
            ("[.blur(radius: 6), .circle()]", [.blur(radius: length(6)), .circle()]),
            ("[.gray(), .tint(color, strength: 0.4)]", [.gray(), .tint(violet, strength: 0.4)]),
            ("a ThumbHash", [ThumbHashed(), .resize(to: cell)]),
        ]
    }

    private struct ThumbHashed: ImageProcessing {
        func identify(in identity: inout ProcessorIdentity) {}

        func process(_ picture: Bitmap, _ context: ProcessingContext) throws -> Bitmap {
            try DecodedImage(thumbHash: DecodedImage(bitmap: picture).thumbHash()).bitmap
        }
    }

    /// A red disc that fades to its edge.
    private static func badge() throws -> Bitmap {
        let side = 60 / reduction
        return try Pictures.make(side, side) { x, y in
            let (dx, dy) = (Double(x) - length(30), Double(y) - length(30))
            let alpha = max(0, min(1, (length(29) - hypot(dx, dy)) / length(8))) * 255
            return [UInt8(alpha), UInt8(alpha / 4), UInt8(alpha / 6), UInt8(alpha)]
        }
    }

    private static let cell = PixelSize(width: 160 / reduction, height: 120 / reduction)
    private static let gap = 8 / reduction

    /// Five cells in a row.
    private func sheet() async throws -> Bitmap {
        let (cells, columns, cell, gap) = (try Self.cells(), 5, Self.cell, Self.gap)
        let rows = (cells.count + columns - 1) / columns
        let size = PixelSize(
            width: gap + columns * (cell.width + gap), height: gap + rows * (cell.height + gap))
        var configuration = ImageLoader.Configuration()
        configuration.disk = nil
        let loader = ImageLoader(configuration)
        let picture = try PNGEncoder().encode(Landscape.make(cell.width, cell.height))
        var places: [any ImageProcessing] = []
        for (number, processors) in cells.map(\.processors).enumerated() {
            var request = ImageRequest(data: picture, id: "landscape")
            request.processors = processors
            let image = try await loader.image(for: request)
            let x = gap + number % columns * (cell.width + gap) + (cell.width - image.size.width) / 2
            let y = gap + number / columns * (cell.height + gap) + (cell.height - image.size.height) / 2
            places.append(.watermark(image, at: .topLeft, x: x, y: y))
        }
        var request = ImageRequest(
            data: try PNGEncoder().encode(Pictures.plain(size.width, size.height, [244, 242, 236, 255])), id: "paper")
        request.processors = places
        return try await loader.image(for: request).bitmap
    }

    @Test func picture_showsEachRow() async throws {
        let sheet = try await sheet()
        #expect(sheet.size == PixelSize(width: 848 / Self.reduction, height: 648 / Self.reduction))
        guard let folder = Self.folder else { return }
        let file = URL(filePath: folder, relativeTo: Repository.root).appending(path: "processors.jpg")
        try JPEGEncoder(quality: 88).encode(sheet).write(to: file)
    }

    @Test func table_hasTheseRows() throws {
        let lines = try Repository.text(of: "Docs/Alcedo.docc/Processing.md").split(separator: "\n")
        let rows = lines.filter { $0.hasPrefix("| ") }.dropFirst()
        let codes = rows.map { $0.split(separator: "|")[0].filter { $0 != "`" }.trimmingCharacters(in: .whitespaces) }
        #expect(codes == (try Self.cells().map(\.code)))
    }

    @Test func table_hasEachProcessor() throws {
        let made = try Repository.text(of: "Docs/API.txt").split(separator: "\n").compactMap { line -> String? in
            guard line.hasPrefix("ImageProcessing."), line.contains(": static func ") else { return nil }
            return line.split(separator: ":").first.map { String($0.dropFirst("ImageProcessing".count)) }
        }
        #expect(made.count > 15)
        let codes = try Self.cells().map(\.code)
        for name in Set(made) { #expect(codes.contains { $0.contains(name + "(") }, "\(name)") }
    }
}
#endif
