import Synchronization

/// The formats that were named so far, by number, so that a value that holds a format is cheap to copy. None is ever
/// forgotten.
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

    /// The number of a format, which is a new one if the name is; the media types are added to those that it has.
    func number(of name: String, _ mediaTypes: [String] = []) -> Int {
        state.withLock { $0.number(of: name, mediaTypes) }
    }

    func name(of number: Int) -> String { state.withLock { $0.formats[number].name } }

    /// Media types of a format, the registered one first.
    func mediaTypes(of number: Int) -> [String] { state.withLock { $0.formats[number].mediaTypes } }
}
