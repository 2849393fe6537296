/// A key that `alcedo view` uses.
enum Key: Hashable, Sendable {
    case character(Character)
    case up, down, left, right, pageUp, pageDown, home, end, enter, escape
}

/// Input from a terminal: keys, and answers to queries.
enum TerminalInput: Equatable, Sendable {
    case key(Key)
    /// The answer to a graphics command with this number.
    case graphics(id: Int, isGood: Bool)
    /// The answer to the query for the terminal's attributes, which every terminal knows.
    case attributes
}
