#if os(Linux)
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoTool

/// `alcedo view` on a terminal that draws images. Its cells have 8 × 16 pixels.
@Suite(.timeLimit(.minutes(2))) struct ViewKittyProgramTests {
    /// The colors of the images, by the places of their tiles.
    private func colors(_ screen: CellScreen) -> [Int: RGB] {
        let layout = GridLayout(screen.size, columns: nil)
        var colors: [Int: RGB] = [:]
        for (id, cells) in screen.placements {
            let position = (0..<layout.capacity).first { index in
                let place = layout.picture(index)
                return cells.column >= place.column && cells.column + cells.width <= place.column + place.width
                    && cells.row >= place.row && cells.row + cells.height <= place.row + place.height
            }
            if let position, let image = screen.images[id] {
                colors[position] = image[image.width / 2, image.height / 2]
            }
        }
        return colors
    }

    private func expected(_ numbers: Range<Int>) -> [Int: RGB] {
        Dictionary(uniqueKeysWithValues: numbers.enumerated().map { ($0, ViewFixture.color($1)) })
    }

    @Test func images_areSentWhereTheTerminalCanDraw() async throws {
        let fixture = try ViewFixture()
        let tool = try fixture.view(12, on: CellScreen(canDrawImages: true))
        let screen = try await tool.until { [self] screen in
            colors(screen) == expected(0..<6) && screen.images.values.allSatisfy(\.isPNG)
                && screen.status.hasSuffix(" kitty")
        }
        // In their own size, as there is room for it.
        #expect(screen.images.values.allSatisfy { $0.width == 64 && $0.height == 48 })
        #expect(screen.placements.values.allSatisfy { $0.width == 8 && $0.height == 3 })
        // The cells beneath are empty.
        let place = GridLayout(screen.size, columns: nil).picture(0)
        #expect(screen.cells[place.row + 2][place.column + 2] == CellScreen.Cell())
        try tool.type(" ")
        // The old ones are deleted last.
        try await tool.until { [self] in colors($0) == expected(6..<12) && $0.images.count == 6 }
        try tool.type("\r")
        try await tool.until { $0.images.count == 1 && $0.status.hasPrefix(" 7/12") }
        try tool.resize(TerminalSize(columns: 100, rows: 24))
        try await tool.until { $0.images.count == 1 && $0.placements.values.first?.column == 46 }
        #expect(tool.screen.unknown == [])
        try tool.type("qq")
        #expect(try await tool.untilExit() == 0)
        #expect(tool.screen.isRestored)
    }

    @Test func frames_areSentInPlaceOfEachOther() async throws {
        let colors: [SIMD4<UInt8>] = [[255, 0, 0, 255], [0, 0, 255, 255]]
        let gif = try ViewFixture.gif(colors)
        let fixture = try ViewFixture { _ in .bytes(gif) }
        let tool = try fixture.view(1, "--graphics", "kitty", on: CellScreen(canDrawImages: true))
        for color in colors + colors {
            try await tool.until { screen in
                guard screen.images.count == 1, let image = screen.images.first?.value else { return false }
                return !image.isPNG && image[5, 5] == RGB(color.x, color.y, color.z)
            }
        }
    }

    @Test func blocks_areDrawnIfTheUserWantsThem() async throws {
        let fixture = try ViewFixture()
        let tool = try fixture.view(6, "--graphics", "blocks", on: CellScreen(canDrawImages: true))
        let screen = try await tool.until { $0.shows(0..<6) }
        #expect(screen.images.isEmpty)
    }
}
#endif
