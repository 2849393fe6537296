/// Parses the bytes that a terminal sends into keys and answers. The bytes may be split anywhere.
///
/// An escape character either begins a sequence or is the Escape key. Only timing distinguishes the two, so the caller
/// calls ``flush()`` when nothing has followed for a moment.
struct KeyParser: Equatable {
    /// The bytes of an incomplete sequence or character.
    private var pending: [UInt8] = []

    mutating func parse(_ bytes: some Sequence<UInt8>) -> [TerminalInput] {
        pending += bytes
        var found: [TerminalInput] = []
        while let (length, input) = next() {
            pending.removeFirst(length)
            if let input { found.append(input) }
        }
        return found
    }

    /// Ends incomplete input: an escape character is the Escape key, and anything else is dropped.
    mutating func flush() -> [TerminalInput] {
        defer { pending = [] }
        return pending == [Self.escape] ? [.key(.escape)] : []
    }

    private static let escape: UInt8 = 0x1B
    /// The maximum length of a sequence, in bytes. No supported sequence is longer.
    private static let longestSequence = 256

    /// The number of bytes of the next input, and the input if it is supported; nil if more bytes are needed.
    private func next() -> (Int, TerminalInput?)? {
        guard let first = pending.first else { return nil }
        if first != Self.escape { return character(first) }
        guard pending.count > 1 else { return nil }
        switch pending[1] {
        case Self.escape: return (1, .key(.escape))
        case UInt8(ascii: "["): return controlSequence()
        case UInt8(ascii: "O"): return pending.count < 3 ? nil : (3, Self.keys[[pending[2]]].map { .key($0) })
        case UInt8(ascii: "_"), UInt8(ascii: "P"), UInt8(ascii: "]"), UInt8(ascii: "^"), UInt8(ascii: "X"):
            return string()
        // A key pressed with Alt.
        default: return (2, nil)
        }
    }

    private func character(_ first: UInt8) -> (Int, TerminalInput?)? {
        if first == 0x0D || first == 0x0A { return (1, .key(.enter)) }
        if first < 0x20 || first == 0x7F { return (1, nil) }
        let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        if pending.count < length { return nil }
        guard let text = String(validating: pending.prefix(length), as: UTF8.self), let character = text.first else {
            return (1, nil)
        }
        return (length, .key(.character(character)))
    }

    /// Parses ESC [, parameters, and a final byte that gives the meaning.
    private func controlSequence() -> (Int, TerminalInput?)? {
        guard let end = pending.dropFirst(2).firstIndex(where: { (0x40...0x7E).contains($0) }) else {
            return pending.count > Self.longestSequence ? (pending.count, nil) : nil
        }
        let (body, final) = (pending[2..<end], pending[end])
        if let first = body.first, (0x3C...0x3F).contains(first) {
            let isAnswer = first == UInt8(ascii: "?") && final == UInt8(ascii: "c")
            return (end + 1, isAnswer ? .attributes : nil)
        }
        // The second parameter encodes which of Shift, Alt and Control are pressed.
        let number = body.prefix { $0 != UInt8(ascii: ";") }
        let name = final == UInt8(ascii: "~") ? number + [final] : [final]
        return (end + 1, Self.keys[Array(name)].map { .key($0) })
    }

    /// Parses ESC, the kind, text, and ESC \.
    private func string() -> (Int, TerminalInput?)? {
        let bell = pending.firstIndex(of: 0x07)
        let end = pending.indices.dropFirst(2).first { index in
            pending[index] == Self.escape && index + 1 < pending.count && pending[index + 1] == UInt8(ascii: "\\")
        }
        guard let end else {
            if let bell { return (bell + 1, nil) }
            return pending.count > Self.longestSequence ? (pending.count, nil) : nil
        }
        if let bell, bell < end { return (bell + 1, nil) }
        return (end + 2, Self.answer(String(decoding: pending[1..<end], as: UTF8.self)))
    }

    /// Parses an answer such as "_Gi=31;OK".
    private static func answer(_ text: String) -> TerminalInput? {
        guard let match = text.wholeMatch(of: /_G(?:[^;]*,)?i=([0-9]+)[^;]*;(.*)/), let id = Int(match.1) else {
            return nil
        }
        return .graphics(id: id, isGood: match.2 == "OK")
    }

    /// Keys by the bytes that follow ESC [ or ESC O, without parameters.
    private static let keys: [[UInt8]: Key] = [
        Array("A".utf8): .up, Array("B".utf8): .down, Array("C".utf8): .right, Array("D".utf8): .left,
        Array("H".utf8): .home, Array("F".utf8): .end, Array("M".utf8): .enter, Array("1~".utf8): .home,
        Array("4~".utf8): .end, Array("7~".utf8): .home, Array("8~".utf8): .end, Array("5~".utf8): .pageUp,
        Array("6~".utf8): .pageDown,
    ]
}
