import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// Where the pixels of cropped, turned, resized and marked pictures are.
@Suite struct ProcessorPlacementTests {
    /// Tells each pixel's column and row.
    private let picture: Bitmap

    init() throws { picture = try Pictures.make(7, 4) { x, y in [UInt8(x), UInt8(y), 0, 255] } }

    private func size(_ width: Int, _ height: Int) -> PixelSize { PixelSize(width: width, height: height) }

    @Test func rectangle_isCutOut() throws {
        let part = try CropProcessor(.rectangle(PixelRectangle(x: 2, y: 1, width: 3, height: 2))).made(of: picture)
        #expect(part.size == size(3, 2))
        #expect(part[0, 0] == picture[2, 1] && part[2, 1] == picture[4, 2])
    }

    @Test func anchors_selectParts() throws {
        let (columns, rows) = ([0, 2, 5], [0, 1, 2])
        for (index, anchor) in PixelAnchor.allCases.enumerated() {
            let part = try CropProcessor(.anchored(size(2, 2), .place(anchor))).made(of: picture)
            #expect(part[0, 0] == picture[columns[index % 3], rows[index / 3]], "\(anchor)")
        }
    }

    @Test func rotations_turnClockwise() throws {
        let turned = try TurnProcessor(.clockwise).made(of: picture)
        #expect(turned.size == size(4, 7))
        #expect(turned[3, 0] == picture[0, 0] && turned[0, 6] == picture[6, 3])
        let half = try TurnProcessor(.half).made(of: picture)
        #expect(half[0, 0] == picture[6, 3])
        let back = try TurnProcessor(.counterclockwise).made(of: turned)
        #expect(back == picture)
    }

    @Test func flips_mirror() throws {
        let across = try TurnProcessor(.horizontal).made(of: picture)
        let down = try TurnProcessor(.vertical).made(of: picture)
        #expect(across[0, 1] == picture[6, 1] && down[2, 0] == picture[2, 3])
        #expect(try TurnProcessor(.horizontal).made(of: across) == picture)
    }

    @Test func resizeModes_giveSizes() throws {
        let picture = try Pictures.plain(40, 20)
        func made(_ mode: ResizeProcessor.Mode, _ room: PixelSize, _ grows: Bool?) throws -> PixelSize {
            try ResizeProcessor(to: room, mode: mode, allowsUpscaling: grows).made(of: picture).size
        }
        #expect(try made(.exact, size(10, 10), nil) == size(10, 10))
        #expect(try made(.exact, size(50, 10), nil) == size(50, 10))
        #expect(try made(.exact, size(50, 10), false) == size(40, 20))
        #expect(try made(.fit, size(10, 10), nil) == size(10, 5))
        #expect(try made(.fill, size(10, 10), nil) == size(20, 10))
        #expect(try made(.fit, size(80, 80), nil) == size(40, 20))
        #expect(try made(.fit, size(80, 80), true) == size(80, 40))
        #expect(try made(.fill, size(80, 80), true) == size(160, 80))
        #expect(try made(.fill, size(30, 15), nil) == size(30, 15))
    }

    @Test func circle_isSquareOfShorterSide() throws {
        let circle = try CircleProcessor().made(of: try Pictures.plain(41, 20))
        #expect(circle.size == size(20, 20))
        #expect(circle[0, 0] == .zero && circle[19, 0] == .zero && circle[10, 10] == [200, 40, 20, 255])
    }

    /// Pixels at the edges have the color of the others, only less of it.
    @Test func edges_haveNoFringes() throws {
        let white = try Pictures.plain(31, 22, [255, 255, 255, 255])
        let border = PixelBorder(width: 2.5, color: .white)
        let shapes: [any ImageProcessing] = [
            .circle(), .circle(border: border), .roundedCorners(radius: 7.7, border: border),
        ]
        for shape in shapes {
            let result = try shape.made(of: white)
            for y in 0..<result.size.height {
                for x in 0..<result.size.width {
                    let pixel = result[x, y]
                    must(pixel.x == pixel.w && pixel.y == pixel.w && pixel.z == pixel.w, "\(shape): \(pixel)")
                }
            }
        }
    }

    @Test func watermark_changesOnlyWhatItCovers() throws {
        let mark = try Pictures.plain(2, 2, [9, 9, 9, 255])
        for mode in BlendMode.allCases {
            let result = try WatermarkProcessor(mark, at: .topLeft, x: 6, y: -1, mode: mode).made(of: picture)
            for y in 0..<4 {
                for x in 0..<7 where (x, y) != (6, 0) { must(result[x, y] == picture[x, y], "\(mode)") }
            }
        }
        let result = try WatermarkProcessor(mark, at: .bottomRight).made(of: picture)
        #expect(result[6, 3] == [9, 9, 9, 255] && result[5, 2] == [9, 9, 9, 255] && result[4, 3] == picture[4, 3])
    }

    @Test func largeWatermark_isCut() throws {
        let mark = try Pictures.make(20, 20) { x, y in [UInt8(x), UInt8(y), 9, 255] }
        let result = try WatermarkProcessor(mark, at: .center).made(of: picture)
        #expect(result.size == picture.size)
        // Half of the difference, rounded down.
        #expect(result[0, 0] == mark[7, 8] && result[6, 3] == mark[13, 11])
    }

    @Test func processors_areWritten_asDocumented() throws {
        var request = ImageRequest(url: try #require(URL(string: "https://example.com/a.png")))
        request.processors = [.resize(to: size(8, 8)), .blur(radius: 8), .circle()]
        #expect(request.processors.count == 3)
        request.processors = [.roundedCorners(radius: 20), .tint(.black), .gray(), .rotate(.half), .flip(.vertical)]
        #expect(request.processors.count == 5)
    }

    @Test func mappedPixels_areThoseOfTransform() throws {
        let context = ProcessingContext(originalSize: picture.size)
        let result = try picture.mapPixels(context) { SIMD4($0.y, $0.x, 255, 255) }
        #expect(result[5, 3] == [3, 5, 255, 255])
    }
}
