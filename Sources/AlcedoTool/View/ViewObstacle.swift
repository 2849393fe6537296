/// The reason why images can't be shown on the screen.
enum ViewObstacle: Equatable {
    /// Standard output isn't a terminal.
    case noTerminal
    /// TERM is unset or dumb.
    case dumbTerminal
    /// The locale's encoding isn't UTF-8.
    case otherEncoding(locale: String)

    /// Returns nil if images can be shown.
    ///
    /// - Parameter isTerminal: Whether standard output is a terminal.
    init?(isTerminal: Bool, _ environment: TerminalEnvironment) {
        if !isTerminal {
            self = .noTerminal
        } else if environment.isDumb {
            self = .dumbTerminal
        } else if environment.isASCII {
            self = .otherEncoding(locale: environment.locale ?? "")
        } else {
            return nil
        }
    }

    var reason: String {
        switch self {
        case .noTerminal: "standard output is not a terminal"
        case .dumbTerminal: "the terminal can't draw images, because TERM is unset or dumb"
        case .otherEncoding(let locale): "the encoding of the locale \(locale) is not UTF-8"
        }
    }

    /// The remedy for the user.
    var remedy: String {
        switch self {
        case .noTerminal: #"To draw the images into a file, run "alcedo load URL... --sheet FILE"."#
        case .dumbTerminal: "Set TERM to the kind of terminal, such as TERM=xterm-256color."
        case .otherEncoding: "Set a UTF-8 locale, such as LC_ALL=en_US.UTF-8."
        }
    }
}
