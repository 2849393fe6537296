/// Reads and writes IPv4 addresses in the hosts of URLs: "127.0.0.1", but also "127.1", "0x7F.1" and "2130706433".
enum IPv4Text {
    /// Whether a name is meant as an address, valid or not, because its last label is a number.
    static func isMeant(by name: [UInt8]) -> Bool {
        guard let last = labels(of: name).last, !last.isEmpty else { return false }
        return last.allSatisfy(\.isDigit) || number(last) != nil
    }

    /// The address that a name stands for; nil if it isn't one.
    static func number(of name: [UInt8]) -> UInt32? {
        let labels = labels(of: name)
        let numbers = labels.compactMap(number)
        guard let last = numbers.last, numbers.count == labels.count, numbers.count <= 4,
            numbers.dropLast().allSatisfy({ $0 <= 255 })
        else { return nil }
        // The last number contains all remaining bytes.
        guard last < 1 << (8 * (5 - numbers.count)) else { return nil }
        let high = numbers.dropLast().enumerated().reduce(0) { $0 | $1.element << (24 - 8 * UInt64($1.offset)) }
        return UInt32(high | last)
    }

    static func of(_ address: UInt32) -> String {
        (0..<4).map { String(address >> (24 - 8 * $0) & 0xFF) }.joined(separator: ".")
    }

    /// The labels of a name, without the empty one after a final dot.
    private static func labels(of name: [UInt8]) -> [ArraySlice<UInt8>] {
        let labels = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return labels.count > 1 && labels.last?.isEmpty == true ? labels.dropLast() : labels
    }

    /// The value of a label, at most 2^32: octal after "0", hexadecimal after "0x", and decimal otherwise. Nil if it
    /// isn't a number.
    private static func number(_ label: ArraySlice<UInt8>) -> UInt64? {
        var (digits, radix) = (label, UInt64(10))
        if digits.count > 1, digits.first == UInt8(ascii: "0") {
            digits = digits.dropFirst()
            radix = 8
            if digits.first?.lowercased == UInt8(ascii: "x") {
                digits = digits.dropFirst()
                radix = 16
            }
        } else if digits.isEmpty {
            return nil
        }
        var number: UInt64 = 0
        for digit in digits {
            guard let value = digit.hexadecimalValue, value < radix else { return nil }
            number = min(number * radix + UInt64(value), 1 << 32)
        }
        return number
    }
}

/// Reads and writes IPv6 addresses in the hosts of URLs.
enum IPv6Text {
    /// The eight groups of an address in brackets; nil if it isn't one.
    static func groups(of host: [UInt8]) -> [UInt16]? {
        guard host.count > 2, host.first == UInt8(ascii: "["), host.last == UInt8(ascii: "]") else { return nil }
        let text = String(decoding: host.dropFirst().dropLast(), as: UTF8.self)
        guard let gap = text.firstRange(of: "::") else {
            return groups(text[...], endsInIPv4: true).flatMap { $0.count == 8 ? $0 : nil }
        }
        guard let head = groups(text[..<gap.lowerBound], endsInIPv4: false),
            let tail = groups(text[gap.upperBound...], endsInIPv4: true), head.count + tail.count < 8
        else { return nil }
        return head + repeatElement(0, count: 8 - head.count - tail.count) + tail
    }

    /// The shortest text of an address: without leading zeros in groups, and with "::" for the first of the longest
    /// runs of zeros.
    static func of(_ groups: [UInt16]) -> String {
        var run = 0..<0
        for start in groups.indices {
            let zeros = groups[start...].prefix { $0 == 0 }
            if zeros.count > max(1, run.count) { run = zeros.indices }
        }
        func text(_ part: ArraySlice<UInt16>) -> String { part.map { String($0, radix: 16) }.joined(separator: ":") }
        if run.isEmpty { return text(groups[...]) }
        return text(groups[..<run.lowerBound]) + "::" + text(groups[run.upperBound...])
    }

    private static func groups(_ text: Substring, endsInIPv4: Bool) -> [UInt16]? {
        if text.isEmpty { return [] }
        var groups: [UInt16] = []
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if endsInIPv4, index == parts.count - 1, part.contains(".") {
                guard let address = dotted(part) else { return nil }
                groups += [UInt16(address >> 16), UInt16(truncatingIfNeeded: address)]
            } else {
                guard (1...4).contains(part.utf8.count), part.utf8.allSatisfy({ $0.hexadecimalValue != nil }),
                    let group = UInt16(part, radix: 16)
                else { return nil }
                groups.append(group)
            }
        }
        return groups
    }

    /// The value of four decimal numbers separated by dots; nil for anything else.
    private static func dotted(_ text: Substring) -> UInt32? {
        guard let address = IPv4Text.number(of: Array(text.utf8)), IPv4Text.of(address) == text else { return nil }
        return address
    }
}
