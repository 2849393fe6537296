@testable import AlcedoTool

/// What a program writes to, as ``ToolProcess`` uses it.
protocol ToolScreen: Sendable {
    var size: TerminalSize { get }
    var lines: [String] { get }
    mutating func resize(_ size: TerminalSize)
    mutating func write(_ new: some Sequence<UInt8>)
    /// What the terminal answers to what was written.
    mutating func takeReplies() -> [UInt8]
}

extension TestScreen: ToolScreen {
    var size: TerminalSize { TerminalSize(columns: columns, rows: 24) }
    mutating func resize(_ size: TerminalSize) { resize(columns: size.columns) }
    mutating func takeReplies() -> [UInt8] { [] }
}
