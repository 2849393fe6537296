import Alcedo

/// The line with which a process of the experiment reports a load.
struct PictureAnswer: Equatable, Sendable {
    /// The load's part in a request to the proxy.
    enum Asking: String, Sendable {
        /// The caches answered the load.
        case nothing
        /// The load asked the proxy, for the image or for a confirmation of the cached one.
        case asked
        /// The load waited for another load of the process, which asked the proxy.
        case shared
    }

    /// Whether the image was the right one.
    enum Verdict: String, Sendable {
        case right
        case wrong
        /// The image was right, but no longer fresh.
        case stale
        /// There was no image: the load failed, for a reason that is on a separate line.
        case failed
    }

    let number: Int
    let source: ImageSource
    let asking: Asking
    let verdict: Verdict

    private static let mark = "picture"

    init(number: Int, source: ImageSource, asking: Asking, verdict: Verdict) {
        self.number = number
        self.source = source
        self.asking = asking
        self.verdict = verdict
    }

    /// Returns nil for any other output of the process.
    init?(line: String) {
        let fields = line.split(separator: " ").map(String.init)
        guard fields.count == 5, fields[0] == Self.mark, let number = Int(fields[1]),
            let source = ImageSource(rawValue: fields[2]), let asking = Asking(rawValue: fields[3]),
            let verdict = Verdict(rawValue: fields[4])
        else { return nil }
        self.init(number: number, source: source, asking: asking, verdict: verdict)
    }

    var line: String { "\(Self.mark) \(number) \(source.rawValue) \(asking.rawValue) \(verdict.rawValue)" }
}
