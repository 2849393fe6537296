import Alcedo
import AlcedoTestSupport
import Testing

@testable import AlcedoTool

@Suite struct RasterTests {
    private let black = Raster.Backdrop.plain(RGB(0, 0, 0))

    @Test func samePixels_inTheSameSize() throws {
        let bitmap = try Pictures.gradient(5, 4)
        let raster = Raster(bitmap, width: 5, height: 4, over: black)
        for y in 0..<4 {
            for x in 0..<5 {
                let pixel = bitmap[x, y]
                #expect(raster[x, y] == RGB(pixel.x, pixel.y, pixel.z))
            }
        }
    }

    @Test func smaller_isTheMean() throws {
        let bitmap = try Pictures.make(4, 2) { x, y in [UInt8(x * 40), UInt8(y * 100), 8, 255] }
        let raster = Raster(bitmap, width: 2, height: 1, over: black)
        #expect(raster.pixels == [RGB(20, 50, 8), RGB(100, 50, 8)])
    }

    @Test func larger_repeatsPixels() throws {
        let bitmap = try Pictures.make(2, 1) { x, _ in x == 0 ? [255, 0, 0, 255] : [0, 0, 255, 255] }
        let raster = Raster(bitmap, width: 4, height: 2, over: black)
        let (red, blue) = (RGB(255, 0, 0), RGB(0, 0, 255))
        #expect(raster.pixels == [red, red, blue, blue, red, red, blue, blue])
    }

    @Test func transparentPixels_showTheBackdrop() throws {
        let bitmap = try Pictures.make(2, 2) { x, _ in x == 0 ? [0, 0, 0, 0] : [100, 0, 0, 128] }
        let raster = Raster(bitmap, width: 2, height: 2, over: .plain(RGB(200, 100, 50)))
        #expect(raster[0, 0] == RGB(200, 100, 50))
        #expect(raster[1, 0] == RGB(200, 50, 25))
        let checker = Raster(try Pictures.plain(4, 2, [0, 0, 0, 0]), width: 4, height: 2, over: .checker(2))
        #expect(checker[0, 0] == checker[1, 1])
        #expect(checker[0, 0] != checker[2, 0])
    }

    @Test func size_fitsIntoABox() {
        let size = PixelSize(width: 400, height: 200)
        #expect(size.fitted(into: PixelSize(width: 100, height: 100)) == PixelSize(width: 100, height: 50))
        #expect(size.fitted(into: PixelSize(width: 500, height: 50)) == PixelSize(width: 100, height: 50))
        #expect(size.fitted(into: PixelSize(width: 500, height: 500)) == size)
        #expect(
            PixelSize(width: 9_000, height: 1).fitted(into: PixelSize(width: 9, height: 9))
                == PixelSize(width: 9, height: 1))
    }
}
