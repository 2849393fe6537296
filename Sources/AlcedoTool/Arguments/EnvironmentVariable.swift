/// Environment variables that this program or a library that it uses reads, for the help and the manual.
struct EnvironmentVariable: Sendable, Equatable {
    let names: [String]
    let meaning: String

    init(_ names: String..., meaning: String) {
        self.names = names
        self.meaning = meaning
    }

    /// The names as they are printed.
    var title: String { names.joined(separator: ", ") }
}

extension EnvironmentVariable {
    /// Read by ``TerminalEnvironment``.
    static let terminal = [
        Self(
            "TERM",
            meaning: "the kind of terminal; if it is unset or dumb, output is ASCII, without bars or escape sequences"),
        Self(
            "LC_ALL", "LC_CTYPE", "LANG",
            meaning: "the locale; if its encoding isn't UTF-8, output is ASCII, and with C or POSIX, there are no bars "
                + "or escape sequences"),
    ]

    /// Read by ``TerminalEnvironment``, too. Only `alcedo view` uses colors.
    static let color = [
        Self(
            "NO_COLOR",
            meaning: "if it isn't empty, \"alcedo view\" draws images with characters instead of colors, unless the "
                + "terminal draws them itself")
    ]

    static let temporary = [Self("TMPDIR", meaning: "the directory for temporary files")]

    /// The variables of all commands that load.
    static let loading = cache + network + temporary + terminal

    static let all = cache + network + temporary + terminal + color
}
