import Foundation

/// The question to the user before entries of a cache are removed, because removals can't be undone.
enum RemovalConfirmation {
    /// Whether to ask.
    ///
    /// - Parameter isInteractive: Whether standard input and output are terminals, so that a person can answer.
    static func isNeeded(_ options: CacheOptions, isInteractive: Bool) -> Bool {
        isInteractive && !options.isDryRun && !options.skipsConfirmation
    }

    /// For example "Remove 1,234 entries (56.0 MB) from /srv/images? [y/N]".
    static func question(entries: Int, bytes: Int, directory: String) -> String {
        let count = entries.formatted(.number.locale(Locale(identifier: "en_US")))
        let noun = entries == 1 ? "entry" : "entries"
        return "Remove \(count) \(noun) (\(ByteText.of(bytes))) from \(directory)? [y/N]"
    }

    /// Whether an answer permits the removal.
    ///
    /// - Parameter answer: The line that the user has typed; nil if there is none.
    static func isYes(_ answer: String?) -> Bool {
        let word = answer?.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
        return word == "y" || word == "yes"
    }
}
