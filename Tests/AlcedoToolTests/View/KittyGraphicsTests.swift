import Alcedo
import AlcedoTestSupport
import Testing

@testable import AlcedoTool

@Suite struct KittyGraphicsTests {
    private func raster(_ width: Int, _ height: Int) throws -> Raster {
        Raster(try Pictures.gradient(width, height), width: width, height: height, over: .checker(8))
    }

    private func wanted(
        _ raster: Raster, _ version: Int, column: Int = 0, row: Int = 0, isStill: Bool = false
    ) -> KittyPictures.Wanted {
        KittyPictures.Wanted(
            version: [version], cells: CellRectangle(column: column, row: row, width: 4, height: 2), raster: raster,
            isStill: isStill)
    }

    private func screen(_ text: String, from old: CellScreen? = nil) -> CellScreen {
        var screen = old ?? CellScreen(canDrawImages: true)
        screen.write(text)
        #expect(screen.unknown == [])
        return screen
    }

    @Test func query_isAnswered() {
        var screen = screen(KittyGraphics.query)
        #expect(String(decoding: screen.takeReplies(), as: UTF8.self) == "\u{1B}_Gi=31;OK\u{1B}\\\u{1B}[?62;22c")
    }

    /// The larger one takes several chunks.
    @Test(arguments: [(3, 2), (64, 40)], [true, false])
    func pixels_arriveAsTheyAre(_ size: (Int, Int), isStill: Bool) throws {
        let (width, height) = size
        let raster = try raster(width, height)
        let text =
            KittyGraphics.transmit(raster, isStill: isStill, id: 5)
            + KittyGraphics.place(
                id: 5, in: CellRectangle(column: 7, row: 3, width: 4, height: 2))
        let screen = screen(text)
        let image = try #require(screen.images[5])
        #expect(image.width == width && image.height == height && image.isPNG == isStill)
        #expect(image.bytes == raster.pixels.flatMap { [$0.red, $0.green, $0.blue] })
        #expect(screen.placements == [5: CellRectangle(column: 7, row: 3, width: 4, height: 2)])
        #expect(self.screen(KittyGraphics.delete(id: 5), from: screen).images.isEmpty)
        #expect(self.screen(KittyGraphics.deleteAll, from: screen).placements.isEmpty)
    }

    @Test func stillPictures_takeLessToSend() throws {
        let raster = try raster(240, 180)
        let lengths = [true, false].map { KittyGraphics.transmit(raster, isStill: $0, id: 5).utf8.count }
        #expect(lengths[0] * 2 < lengths[1])
        var pictures = KittyPictures()
        let sent = pictures.show([1: wanted(raster, 1, isStill: true), 2: wanted(raster, 1)])
        #expect(screen(sent).images.values.count { $0.isPNG } == 1)
    }

    @Test func images_areSentOnce_movedAndDeleted() throws {
        let raster = try raster(2, 2)
        var pictures = KittyPictures()
        var now = screen(pictures.show([1: wanted(raster, 1), 2: wanted(raster, 1, column: 9)]))
        #expect(Set(now.placements.values.map(\.column)) == [0, 9])
        #expect(pictures.show([1: wanted(raster, 1), 2: wanted(raster, 1, column: 9)]) == "")
        let moving = pictures.show([1: wanted(raster, 1, row: 5), 2: wanted(raster, 1, column: 9)])
        #expect(!moving.contains("a=t"))
        now = screen(moving, from: now)
        #expect(Set(now.placements.values.map(\.row)) == [0, 5])
        now = screen(pictures.show([2: wanted(raster, 1, column: 9)]), from: now)
        #expect(now.placements.values.map(\.column) == [9])
        #expect(now.images.count == 1)
    }

    @Test func newPixels_areShownBeforeTheOldOnesAreDeleted() throws {
        var pictures = KittyPictures()
        var now = screen(pictures.show([1: wanted(try raster(2, 2), 1)]))
        let change = pictures.show([1: wanted(try raster(3, 3), 2)])
        let placing = try #require(change.firstRange(of: "a=p"))
        let deleting = try #require(change.firstRange(of: "a=d"))
        #expect(placing.lowerBound < deleting.lowerBound)
        now = screen(change, from: now)
        #expect(now.images.values.map(\.width) == [3])
        #expect(now.placements.count == 1)
        now = screen(pictures.clear(), from: now)
        #expect(now.images.isEmpty)
        now = screen(pictures.show([1: wanted(try raster(3, 3), 2)]), from: now)
        #expect(now.images.count == 1)
    }
}
