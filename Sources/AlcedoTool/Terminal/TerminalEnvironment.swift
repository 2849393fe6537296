/// The terminal's capabilities according to the environment.
struct TerminalEnvironment: Equatable {
    /// Whether escape sequences may be sent: TERM names a terminal that isn't dumb, and the locale isn't "C".
    var obeysEscapes: Bool
    /// Whether text must be ASCII: TERM names no terminal or a dumb one, or the locale names no encoding, as "C" does,
    /// or an encoding other than UTF-8. Without a locale, a terminal's text is UTF-8.
    var isASCII: Bool

    init(_ variables: [String: String]) {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { variables[$0] }.first { !$0.isEmpty }
        let isDumb = ["", "dumb"].contains(variables["TERM"] ?? "")
        obeysEscapes = !isDumb && !["C", "POSIX"].contains(locale)
        let encoding = locale?.lowercased().replacing("-", with: "")
        isASCII = isDumb || encoding.map { !$0.contains("utf8") } ?? false
    }
}
