/// A key, as far as `alcedo view` uses it.
enum Key: Hashable, Sendable {
    case character(Character)
    case up, down, left, right, pageUp, pageDown, home, end, enter, escape
}

/// What a terminal sends: keys, and answers to queries.
enum TerminalInput: Equatable, Sendable {
    case key(Key)
    /// The answer to a graphics command with this number.
    case graphics(id: Int, isGood: Bool)
    /// The answer to the query for the terminal's attributes, which every terminal knows.
    case attributes
}
