/// The terminal's capabilities according to the environment.
struct TerminalEnvironment: Equatable {
    /// Whether TERM names no terminal or a dumb one.
    var isDumb: Bool
    /// The name of the locale; nil if there is none.
    var locale: String?
    /// Whether escape sequences may be sent: TERM names a terminal that isn't dumb, and the locale isn't "C".
    var obeysEscapes: Bool
    /// Whether text must be ASCII: TERM names no terminal or a dumb one, or the locale names no encoding, as "C" does,
    /// or an encoding other than UTF-8. Without a locale, a terminal's text is UTF-8.
    var isASCII: Bool
    /// Whether colors may be used: NO_COLOR is unset or empty.
    var hasColors: Bool

    /// The variables that are read.
    static let names = ["TERM", "NO_COLOR"] + localeNames
    private static let localeNames = ["LC_ALL", "LC_CTYPE", "LANG"]

    init(_ variables: [String: String]) {
        locale = Self.localeNames.compactMap { variables[$0] }.first { !$0.isEmpty }
        isDumb = ["", "dumb"].contains(variables["TERM"] ?? "")
        obeysEscapes = !isDumb && !["C", "POSIX"].contains(locale)
        let encoding = locale?.lowercased().replacing("-", with: "")
        isASCII = isDumb || encoding.map { !$0.contains("utf8") } ?? false
        hasColors = (variables["NO_COLOR"] ?? "").isEmpty
    }
}
