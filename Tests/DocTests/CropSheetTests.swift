#if os(Linux) && JPEG && PNG
import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

/// The picture of crops in the article on decoding.
///
/// `ALCEDO_PICTURES=Docs/Alcedo.docc/Resources swift test --filter CropSheetTests` makes the picture anew.
@Suite(.timeLimit(.minutes(1))) struct CropSheetTests {
    /// A picture, and where its subject is.
    private struct Scene {
        let picture: Bitmap
        let subject: PixelRectangle

        /// A landscape with a disc in it.
        init(discAt x: Int, _ y: Int, _ color: SIMD4<UInt8>) throws {
            let disc = PixelRectangle(x: x, y: y, width: 34, height: 34)
            subject = disc
            let size = CropSheetTests.whole
            let landscape = try CropSheetTests.landscape.get()
            picture = try Pictures.make(size.width, size.height) { x, y in
                let side = Double(disc.size.width)
                let (dx, dy) = (Double(x - disc.x) / side - 0.5, Double(y - disc.y) / side - 0.5)
                let distance = (dx * dx + dy * dy).squareRoot()
                if distance > 0.5 { return landscape[x, y] }
                // Darker where the light doesn't fall.
                let light = 1 - 0.5 * ((dx + 0.2) * (dx + 0.2) + (dy + 0.2) * (dy + 0.2)).squareRoot()
                func shaded(_ value: UInt8) -> UInt8 { UInt8(Double(value) * light) }
                return [shaded(color.x), shaded(color.y), shaded(color.z), 255]
            }
        }
    }

    private static let crops: [CropAnchor] = [.center, .attention, .focus(x: 0.9, y: 0.5)]
    private static let whole = PixelSize(width: 240, height: 120)
    private static let cell = PixelSize(width: 120, height: 120)
    private static let gap = 8

    private static let landscape = Result { try Landscape.make(whole.width, whole.height) }
    private static let scenes = Result {
        [
            try Scene(discAt: 12, 50, [230, 40, 30, 255]), try Scene(discAt: 180, 24, [224, 172, 140, 255]),
            try Scene(discAt: 40, 80, [240, 200, 20, 255]),
        ]
    }

    private func crop(_ scene: Scene, _ anchor: CropAnchor) throws -> Bitmap {
        var target = DecodeTarget(Self.cell, mode: .crop)
        target.anchor = anchor
        return try ImageDecoders.builtIn.decode(
            PNGEncoder().encode(scene.picture), DecodeRequest(target: target)
        ).bitmap
    }

    /// The whole pictures, each with its crops beside it.
    private func sheet() async throws -> Bitmap {
        let (whole, cell, gap) = (Self.whole, Self.cell, Self.gap)
        let scenes = try Self.scenes.get()
        let size = PixelSize(
            width: whole.width + 2 * gap + Self.crops.count * (cell.width + gap),
            height: scenes.count * (cell.height + gap) + gap)
        var configuration = ImageLoader.Configuration()
        configuration.disk = nil
        var request = ImageRequest(
            data: try PNGEncoder().encode(Pictures.plain(size.width, size.height, [244, 242, 236, 255])), id: "paper")
        for (row, scene) in scenes.enumerated() {
            let y = gap + row * (cell.height + gap)
            request.processors.append(.watermark(DecodedImage(bitmap: scene.picture), at: .topLeft, x: gap, y: y))
            for (column, anchor) in Self.crops.enumerated() {
                let crop = DecodedImage(bitmap: try crop(scene, anchor))
                let x = whole.width + 2 * gap + column * (cell.width + gap)
                request.processors.append(.watermark(crop, at: .topLeft, x: x, y: y))
            }
        }
        return try await ImageLoader(configuration).image(for: request).bitmap
    }

    @Test func attention_keepsTheSubject() throws {
        for scene in try Self.scenes.get() {
            let crop = try crop(scene, .attention)
            let start = try #require(
                (0...Self.whole.width - Self.cell.width).first { x in
                    (0..<Self.cell.width).allSatisfy { crop[$0, 60] == scene.picture[x + $0, 60] }
                })
            #expect(start <= scene.subject.x && scene.subject.x + scene.subject.size.width <= start + Self.cell.width)
        }
    }

    @Test func picture_isMade() async throws {
        let sheet = try await sheet()
        #expect(sheet.size == PixelSize(width: 640, height: 392))
        guard let folder = ProcessInfo.processInfo.environment["ALCEDO_PICTURES"] else { return }
        let file = URL(filePath: folder, relativeTo: Repository.root).appending(path: "crops.jpg")
        try JPEGEncoder(quality: 88).encode(sheet).write(to: file)
    }
}
#endif
