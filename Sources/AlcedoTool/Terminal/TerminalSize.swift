import Foundation

/// The size of a terminal in cells.
struct TerminalSize: Sendable, Equatable {
    var columns = 80
    var rows = 24

    init(columns: Int = 80, rows: Int = 24) {
        self.columns = columns
        self.rows = rows
    }

    /// The current size of the terminal behind a descriptor. Serial lines don't know their size, and get the usual one.
    init(of descriptor: Int32) {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return }
        (columns, rows) = (Int(size.ws_col), Int(size.ws_row))
    }
}
