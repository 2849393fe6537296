import Synchronization

/// The formats named so far. Each has a number, so that values that hold a format are cheap to copy. Formats are never
/// removed.
final class FormatTable: Sendable {
    private struct State {
        var formats: [(name: String, mediaTypes: [String])] = []
        var numbers: [String: Int] = [:]

        mutating func number(of name: String, _ mediaTypes: [String]) -> Int {
            let number = numbers[name] ?? formats.count
            if number == formats.count {
                numbers[name] = number
                formats.append((name, []))
            }
            for type in mediaTypes where !formats[number].mediaTypes.contains(type) {
                formats[number].mediaTypes.append(type)
            }
            return number
        }
    }

    private let state = Mutex(State())

    /// - Parameter formats: The formats whose numbers are 0, 1, 2 and so on.
    init(_ formats: [(name: String, mediaTypes: [String])]) {
        for (name, mediaTypes) in formats { _ = number(of: name, mediaTypes) }
    }

    /// Returns the number of a format, a new one for a new name. Adds the media types to those of the format.
    func number(of name: String, _ mediaTypes: [String] = []) -> Int {
        state.withLock { $0.number(of: name, mediaTypes) }
    }

    func name(of number: Int) -> String { state.withLock { $0.formats[number].name } }

    /// Media types of a format, the registered one first.
    func mediaTypes(of number: Int) -> [String] { state.withLock { $0.formats[number].mediaTypes } }
}
