import Alcedo
import Testing

@testable import AlcedoTool

@Suite struct ViewModelTests {
    /// 30 pictures in tiles of 26 × 9 cells: 3 in a row, 3 rows.
    private var model: ViewModel { ViewModel(count: 30, size: TerminalSize(columns: 80, rows: 28)) }

    private func pressing(_ keys: Key...) -> ViewModel {
        var model = model
        for key in keys { _ = model.press(key) }
        return model
    }

    @Test func first_page_isInSight_andTheSecondIsNext() {
        #expect(model.layout.columns == 3 && model.layout.rows == 3)
        #expect(model.visible == 0..<9)
        #expect(model.upcoming == Array(9..<18))
    }

    @Test func arrowsAndLetters_moveTheSelection() {
        #expect(pressing(.right).selection == 1)
        #expect(pressing(.down).selection == 3)
        #expect(pressing(.down, .right, .up, .left).selection == 0)
        let letters = ["l", "j", "l", "h", "k"].map { Key.character($0) }
        var model = model
        let places = letters.map { key -> Int in
            _ = model.press(key)
            return model.selection
        }
        #expect(places == [1, 4, 5, 4, 1])
    }

    @Test func selection_staysWithinTheList() {
        #expect(pressing(.left).selection == 0)
        #expect(pressing(.up).selection == 0)
        #expect(pressing(.end, .right).selection == 29)
        #expect(pressing(.end, .down).selection == 29)
        var short = ViewModel(count: 5, size: TerminalSize(columns: 80, rows: 28))
        _ = short.press(.right)
        _ = short.press(.right)
        // Below it, the last row is shorter.
        #expect(short.press(.down) == .update)
        #expect(short.selection == 4)
        #expect(short.press(.down) == .nothing)
        #expect(short.visible == 0..<5)
        #expect(short.upcoming == [])
    }

    @Test func screen_followsTheSelection_byRows() {
        let model = pressing(.down, .down, .down)
        #expect(model.selection == 9)
        #expect(model.visible == 3..<12)
        #expect(model.upcoming == Array(12..<21))
        let back = pressing(.down, .down, .down, .up, .up, .up)
        #expect(back.visible == 0..<9)
        #expect(back.upcoming == [])
    }

    @Test func pages_followEachOther() {
        for key in [Key.pageDown, .character(" ")] {
            #expect(pressing(key).visible == 9..<18)
            #expect(pressing(key).selection == 9)
            #expect(pressing(key, key).visible == 18..<27)
            #expect(pressing(key, key).upcoming == [27, 28, 29])
            // Filled from the end.
            #expect(pressing(key, key, key).visible == 21..<30)
            #expect(pressing(key, key, key).selection == 27)
            #expect(pressing(key, key, key, key).selection == 29)
        }
        for key in [Key.pageUp, .character("b")] {
            let back = pressing(.pageDown, .pageDown, key)
            #expect(back.visible == 9..<18)
            #expect(back.upcoming == Array((0..<9).reversed()))
        }
        #expect(pressing(.pageUp).selection == 0)
    }

    @Test func homeAndEnd_areTheEnds() {
        #expect(pressing(.end).selection == 29)
        #expect(pressing(.end).visible == 21..<30)
        #expect(pressing(.end, .home).visible == 0..<9)
        #expect(pressing(.character("G"), .character("g")).selection == 0)
    }

    @Test func enter_showsOne_andEscapeGoesBack() {
        var model = pressing(.right, .enter)
        #expect(model.mode == .single)
        #expect(model.visible == 1..<2)
        #expect(model.upcoming == [2, 3, 4])
        #expect(model.layout.tile(0) == CellRectangle(column: 0, row: 0, width: 80, height: 27))
        _ = model.press(.down)
        #expect(model.visible == 2..<3)
        _ = model.press(.pageUp)
        _ = model.press(.left)
        #expect(model.visible == 0..<1)
        _ = model.press(.end)
        #expect(model.visible == 29..<30)
        #expect(model.press(.escape) == .update)
        #expect(model.mode == .grid)
        #expect(model.visible == 21..<30)
        _ = model.press(.enter)
        #expect(model.press(.character("q")) == .update)
        #expect(model.mode == .grid)
        #expect(model.press(.escape) == .nothing)
        #expect(model.press(.character("q")) == .quit)
    }

    @Test func columns_canBeChosen() {
        #expect(pressing(.character("+")).layout.columns == 4)
        #expect(pressing(.character("="), .character("-")).layout.columns == 3)
        var model = model
        for _ in 0..<9 { _ = model.press(.character("-")) }
        #expect(model.layout.columns == 1)
        for _ in 0..<99 { _ = model.press(.character("+")) }
        #expect(model.layout.columns == 13)
        _ = model.press(.character("-"))
        #expect(model.layout.columns == 12)
        _ = model.press(.enter)
        #expect(model.press(.character("-")) == .nothing)
    }

    @Test func pictureAlone_isEnlarged_andMoved() {
        let size = PixelSize(width: 800, height: 600)
        var model = pressing(.enter)
        #expect(model.zoom.region(of: size) == nil)
        _ = model.press(.character("+"))
        #expect(model.zoom.region(of: size) == PixelRectangle(x: 200, y: 150, width: 400, height: 300))
        for _ in 0..<9 { _ = model.press(.right) }
        _ = model.press(.character("k"))
        #expect(model.zoom.region(of: size) == PixelRectangle(x: 400, y: 75, width: 400, height: 300))
        #expect(model.press(.right) == .nothing && model.selection == 0)
        _ = model.press(.character("="))
        #expect(model.zoom.region(of: size) == PixelRectangle(x: 500, y: 150, width: 200, height: 150))
        for _ in 0..<2 { _ = model.press(.character("-")) }
        #expect(model.zoom.region(of: size) == nil)
        #expect(model.press(.right) == .update && model.selection == 1)
        for _ in 0..<99 { _ = model.press(.character("+")) }
        let part = model.zoom.region(of: PixelSize(width: 3, height: 1_000_000))
        #expect(part?.size == PixelSize(width: 1, height: 3_906))
        // Another picture begins as a whole.
        _ = model.press(.pageDown)
        #expect(model.selection == 2 && !model.zoom.isZoomed)
    }

    @Test func otherKeys_actOrDoNothing() {
        var model = model
        #expect(model.press(.character("r")) == .reload)
        #expect(model.press(.character("p")) == .update)
        #expect(model.isPaused)
        #expect(model.press(.character("?")) == .update)
        #expect(model.showsHelp)
        #expect(model.press(.escape) == .update)
        #expect(!model.showsHelp)
        #expect(model.press(.character("x")) == .nothing)
    }

    @Test func resizing_keepsTheSelectionInSight() {
        var model = pressing(.end)
        model.resize(TerminalSize(columns: 25, rows: 8))
        #expect(model.layout.columns == 1)
        #expect(model.visible.contains(29))
        model.resize(TerminalSize(columns: 200, rows: 60))
        #expect(model.visible.contains(29))
        #expect(model.visible.count == min(30, model.layout.capacity))
    }

    @Test func resizing_fillsTheScreen() {
        var model = pressing(.end)
        for rows in [24, 13, 61, 8] {
            model.resize(TerminalSize(columns: 80, rows: rows))
            let (layout, visible) = (model.layout, model.visible)
            let last = layout.tile(layout.capacity - 1)
            #expect(last.row + last.height == rows - 1)
            #expect(visible.upperBound == 30 && visible.count == min(30, layout.capacity))
        }
    }

    /// Whatever the size and the keys, the selection is on the screen and everything is within the list.
    @Test func anyKeys_onAnySize_leaveTheSelectionInSight() {
        let keys: [Key] = [
            .up, .down, .left, .right, .pageUp, .pageDown, .home, .end, .enter, .escape, .character("+"),
            .character("-"),
        ]
        var random = SystemRandomNumberGenerator()
        for count in [1, 2, 7, 100] {
            var model = ViewModel(count: count, size: TerminalSize())
            for _ in 0..<500 {
                if Int.random(in: 0..<10, using: &random) == 0 {
                    let (columns, rows) = (Int.random(in: 1...150), Int.random(in: 1...60))
                    model.resize(TerminalSize(columns: columns, rows: rows))
                } else if let key = keys.randomElement(using: &random) {
                    _ = model.press(key)
                }
                #expect(model.visible.contains(model.selection), "\(model)")
                #expect((0..<count).contains(model.visible), "\(model)")
                #expect(model.upcoming.allSatisfy { (0..<count).contains($0) && !model.visible.contains($0) })
            }
        }
    }
}

@Suite struct GridLayoutTests {
    @Test func tiles_areInRows() {
        let layout = GridLayout(TerminalSize(columns: 80, rows: 24), columns: nil)
        #expect(layout.columns == 3 && layout.rows == 2)
        #expect(layout.tile(0) == CellRectangle(column: 0, row: 0, width: 26, height: 11))
        // The 23 lines above the status are in two rows.
        #expect(layout.tile(4) == CellRectangle(column: 26, row: 11, width: 26, height: 12))
        #expect(layout.picture(4) == CellRectangle(column: 27, row: 12, width: 24, height: 10))
    }

    @Test func rows_fillTheScreen() {
        for rows in 3...80 {
            for chosen in [nil, 1, 3, 12] {
                let layout = GridLayout(TerminalSize(columns: 90, rows: rows), columns: chosen)
                var end = 0
                for row in 0..<layout.rows {
                    let (tile, picture) = (layout.tile(row * layout.columns), layout.picture(row * layout.columns))
                    #expect(tile.row == end)
                    end += tile.height
                    #expect(tile.height == layout.height || tile.height == layout.height + 1)
                    // Above the caption, and as large as in the other rows.
                    #expect(picture.height == layout.height - 1)
                    #expect(picture.row + picture.height == end - 1)
                }
                #expect(end == rows - 1)
            }
        }
    }

    @Test func tiles_fitOnTheScreen() {
        for columns in 1...120 {
            for rows in 1...60 {
                for chosen in [nil, 1, 3, 50] {
                    let layout = GridLayout(TerminalSize(columns: columns, rows: rows), columns: chosen)
                    let last = layout.tile(layout.capacity - 1)
                    #expect(last.column + last.width <= columns)
                    #expect(last.row + last.height <= max(1, rows - 1))
                    #expect(layout.columns == 1 || layout.width >= 6)
                }
            }
        }
    }
}
