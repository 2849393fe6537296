import Alcedo
import AlcedoTestSupport
import Testing

@testable import AlcedoTool

@Suite(.timeLimit(.minutes(1))) struct ContactSheetTests {
    private let small = ContactSheet(columns: 2, cell: PixelSize(width: 10, height: 8), gap: 2)

    /// The smallest rectangle that holds every pixel that is not paper, within a cell of ``small``.
    private func ink(_ sheet: Bitmap, left: Int, top: Int) -> (x: ClosedRange<Int>, y: ClosedRange<Int>)? {
        var (columns, rows): ([Int], [Int]) = ([], [])
        for y in 0..<8 {
            for x in 0..<10 where sheet[left + x, top + y] != ContactSheet.paper {
                columns.append(x)
                rows.append(y)
            }
        }
        guard let x0 = columns.min(), let x1 = columns.max(), let y0 = rows.min(), let y1 = rows.max() else {
            return nil
        }
        return (x0...x1, y0...y1)
    }

    @Test(arguments: [(0, 12), (1, 12), (2, 12), (3, 22), (4, 22), (5, 32)])
    func size_dependsOnTheCount(_ count: Int, _ height: Int) throws {
        let picture = try Pictures.plain(4, 4)
        let sheet = try small.draw(Array(repeating: picture, count: count))
        #expect(sheet.size == PixelSize(width: 26, height: height))
    }

    @Test func paper_surroundsEachCell() throws {
        let sheet = try small.draw([Pictures.plain(100, 100), Pictures.plain(100, 10), Pictures.plain(3, 90)])
        for x in 0..<sheet.size.width {
            for y in 0..<sheet.size.height {
                let inCell = x >= 2 && y >= 2 && (x - 2) % 12 < 10 && (y - 2) % 10 < 8
                if !inCell, sheet[x, y] != ContactSheet.paper { Issue.record("ink at (\(x), \(y))") }
            }
        }
    }

    @Test func largeImage_isScaledProportionally_andCentered() throws {
        let sheet = try small.draw([Pictures.plain(100, 20), Pictures.plain(40, 80)])
        let wide = try #require(ink(sheet, left: 2, top: 2))
        #expect(wide.x == 0...9 && wide.y == 3...4)
        let tall = try #require(ink(sheet, left: 14, top: 2))
        #expect(tall.x == 3...6 && tall.y == 0...7)
        #expect(sheet[2, 5] == [200, 40, 20, 255])
    }

    @Test func smallImage_isNotEnlarged() throws {
        let picture = try Pictures.make(4, 2) { x, y in [UInt8(x * 40), UInt8(y * 90), 7, 255] }
        let sheet = try small.draw([picture])
        let drawn = try #require(ink(sheet, left: 2, top: 2))
        #expect(drawn.x == 3...6 && drawn.y == 3...4)
        for y in 0..<2 { for x in 0..<4 { #expect(sheet[5 + x, 5 + y] == picture[x, y]) } }
        #expect(try small.reduced(picture) === picture)
    }

    @Test func imageOfTheCellSize_isCopied() throws {
        let picture = try Pictures.plain(10, 8)
        #expect(try small.reduced(picture) === picture)
        let drawn = try #require(ink(try small.draw([picture]), left: 2, top: 2))
        #expect(drawn.x == 0...9 && drawn.y == 0...7)
    }

    @Test func thinImage_keepsAtLeastOnePixel() throws {
        #expect(try small.reduced(Pictures.plain(1000, 1)).size == PixelSize(width: 10, height: 1))
        #expect(try small.reduced(Pictures.plain(1, 1000)).size == PixelSize(width: 1, height: 8))
    }

    @Test func reducedPixel_isTheMean() throws {
        let stripes = try Pictures.make(20, 16) { x, _ in x % 2 == 0 ? [0, 0, 0, 255] : [200, 100, 50, 255] }
        let reduced = try small.reduced(stripes)
        #expect(reduced.size == PixelSize(width: 10, height: 8))
        for y in 0..<8 { for x in 0..<10 { #expect(reduced[x, y] == [100, 50, 25, 255]) } }
    }

    @Test func transparentImage_isBlendedWithThePaper() throws {
        let pictures = [
            try Pictures.plain(4, 4, [0, 0, 0, 0]), try Pictures.plain(4, 4, [0, 0, 0, 128]),
            try Pictures.plain(4, 4, [255, 255, 255, 255]),
        ]
        let sheet = try small.draw(pictures)
        #expect(ink(sheet, left: 2, top: 2) == nil)
        // Black with half alpha leaves 127/255 of the paper.
        #expect(sheet[18, 5] == [122, 121, 118, 255])
        #expect(sheet[6, 15] == [255, 255, 255, 255])
    }

    @Test(arguments: [1, 5, 8, 10_000]) func capacity_isAllThatABitmapHolds(_ count: Int) throws {
        let sheet = ContactSheet.ofLoads(count)
        #expect(sheet.capacity >= sheet.columns)
        _ = try DecodeLimits().bitmapBytes(for: sheet.size(for: sheet.capacity))
        #expect(throws: ImageLoaderError.self) {
            try DecodeLimits().bitmapBytes(for: sheet.size(for: sheet.capacity + 1))
        }
    }

    @Test func tooLargeSheet_isAnError() throws {
        let sheet = ContactSheet(columns: 1, cell: PixelSize(width: 70_000, height: 1), gap: 0)
        #expect(throws: ImageLoaderError.limitExceeded(.imageSide, value: 70_000, allowed: 65_535)) {
            try sheet.draw([Pictures.plain(1, 1)])
        }
    }
}
