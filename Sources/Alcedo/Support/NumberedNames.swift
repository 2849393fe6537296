import Synchronization

/// Numbers that stand for names, so that a value that holds a name is cheap to copy. No name is ever forgotten.
final class NumberedNames: Sendable {
    private struct State {
        var names: [String] = []
        var numbers: [String: Int] = [:]

        mutating func number(of name: String) -> Int {
            if let number = numbers[name] { return number }
            numbers[name] = names.count
            names.append(name)
            return names.count - 1
        }
    }

    private let state = Mutex(State())

    /// - Parameter names: The names whose numbers are 0, 1, 2 and so on.
    init(_ names: [String]) {
        for name in names { _ = number(of: name) }
    }

    /// The number of a name; a new one if it has none yet.
    func number(of name: String) -> Int { state.withLock { $0.number(of: name) } }

    /// The name that has a number.
    subscript(number: Int) -> String { state.withLock { $0.names[number] } }
}
