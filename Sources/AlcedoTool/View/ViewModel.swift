/// The state of `alcedo view`, and its changes by keys.
struct ViewModel: Equatable {
    enum Mode: Equatable { case grid, single }

    /// The reaction to a key.
    enum Action: Equatable {
        case nothing
        /// The screen has changed.
        case update
        /// The image must be loaded again.
        case reload
        case quit
    }

    /// The number of images, at least 1.
    let count: Int
    private(set) var size: TerminalSize
    private(set) var mode = Mode.grid
    /// The index of the selected image.
    private(set) var selection = 0
    /// The number of tiles in a row, if the user has chosen it.
    private(set) var columns: Int?
    /// The part of the single image that is shown.
    private(set) var zoom = Zoom()
    private(set) var isPaused = false
    private(set) var showsHelp = false
    /// The first row of the grid on the screen.
    private var firstRow = 0
    /// Whether the selection last moved towards the end.
    private var isForward = true

    init(count: Int, size: TerminalSize, columns: Int? = nil) {
        self.count = count
        self.size = size
        self.columns = columns
    }

    var layout: GridLayout { mode == .single ? GridLayout(singleIn: size) : grid }

    private var grid: GridLayout { GridLayout(size, columns: columns) }

    /// The indices of the images on the screen.
    var visible: Range<Int> {
        if mode == .single { return selection..<selection + 1 }
        let first = firstRow * grid.columns
        return first..<min(count, first + grid.capacity)
    }

    /// The indices of the images that will come into sight next, the nearest first.
    var upcoming: [Int] {
        let shown = visible
        let length = mode == .single ? 3 : grid.capacity
        if isForward { return Array(shown.upperBound..<min(count, shown.upperBound + length)) }
        return (max(0, shown.lowerBound - length)..<shown.lowerBound).reversed()
    }

    mutating func resize(_ size: TerminalSize) {
        self.size = size
        scroll()
    }

    mutating func press(_ key: Key) -> Action {
        let before = self
        switch key {
        case .character("q"):
            if mode == .grid { return .quit }
            mode = .grid
        case .escape: if mode == .single { mode = .grid } else { showsHelp = false }
        case .enter: mode = .single
        case .character("r"): return .reload
        case .character("p"): isPaused.toggle()
        case .character("?"): showsHelp.toggle()
        case .character("+"), .character("="): change(by: 1)
        case .character("-"): change(by: -1)
        default: if mode == .grid || !zoom.isZoomed || !pan(key) { move(key) }
        }
        scroll()
        if mode != before.mode || selection != before.selection { zoom = Zoom() }
        return self == before ? .nothing : .update
    }

    /// Changes the number of columns in the grid, or the zoom of a single image.
    private mutating func change(by step: Int) {
        if mode == .single { return zoom.change(by: step) }
        columns = min(max(1, grid.columns + step), GridLayout.mostColumns(in: size))
    }

    /// Moves the visible part of the single image. Returns whether the key does that.
    private mutating func pan(_ key: Key) -> Bool {
        switch key {
        case .left, .character("h"): zoom.pan(-1, 0)
        case .right, .character("l"): zoom.pan(1, 0)
        case .up, .character("k"): zoom.pan(0, -1)
        case .down, .character("j"): zoom.pan(0, 1)
        default: return false
        }
        return true
    }

    private mutating func move(_ key: Key) {
        let (row, page) = mode == .single ? (1, 1) : (grid.columns, grid.capacity)
        switch key {
        case .left, .character("h"): move(by: -1)
        case .right, .character("l"): move(by: 1)
        case .up, .character("k"): if selection >= row { move(by: -row) }
        // The selection may move into a shorter last row.
        case .down, .character("j"): if selection / row < (count - 1) / row { move(by: row) }
        case .pageUp, .character("b"): turn(-1, page)
        case .pageDown, .character(" "): turn(1, page)
        case .home, .character("g"): move(by: -count)
        case .end, .character("G"): move(by: count)
        default: break
        }
    }

    private mutating func move(by step: Int) {
        let target = min(max(0, selection + step), count - 1)
        if target != selection { isForward = target > selection }
        selection = target
    }

    /// Moves by a page: the rows on the screen move as far as the selection does.
    private mutating func turn(_ direction: Int, _ page: Int) {
        let last = (count - 1) / grid.columns
        if mode == .grid {
            let target = firstRow + direction * grid.rows
            if (0...last).contains(target) || firstRow > 0 { firstRow = min(max(0, target), last) }
        }
        move(by: direction * page)
    }

    /// Brings the selection into sight.
    private mutating func scroll() {
        let (grid, row) = (grid, selection / grid.columns)
        let last = (count - 1) / grid.columns
        firstRow = min(max(firstRow, row - grid.rows + 1), row)
        // Rows aren't left empty while there are images to fill them.
        firstRow = max(0, min(firstRow, last - grid.rows + 1))
    }
}
