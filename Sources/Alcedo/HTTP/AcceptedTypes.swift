/// The media types that a client accepts, from the field `Accept` of its request (RFC 9110, section 12.5.1).
///
/// Members that aren't well-formed are ignored, and so are parameters other than the weight. If a type is listed more
/// than once, the lowest weight counts.
struct AcceptedTypes {
    /// The weights in thousandths, by type in lower case.
    private var weights: [String: Int] = [:]

    /// The maximum number of members read. No real client sends more.
    private static let mostMembers = 100

    init(_ field: String) {
        for member in Self.parts(of: ArraySlice(field.utf8), at: ",").prefix(Self.mostMembers) {
            let parts = Self.parts(of: member, at: ";").map { $0.trimmed(where: \.isBlank) }
            let type = String(decoding: parts[0], as: UTF8.self).lowercased()
            guard !type.isEmpty, let weight = Self.weight(parts.dropFirst()) else { continue }
            weights[type] = min(weight, weights[type] ?? weight)
        }
    }

    /// The weight of a type that is listed by name; nil if it isn't.
    func listedWeight(of type: String) -> Int? { weights[type] }

    /// Whether the type is accepted, by name or by a wildcard. If there are no members, all types are accepted.
    func accepts(_ type: String) -> Bool {
        let group = type.prefix { $0 != "/" } + "/*"
        return weights[type] ?? weights[String(group)] ?? weights["*/*"] ?? (weights.isEmpty ? 1_000 : 0) > 0
    }

    /// The weight among a member's parameters, by default 1; nil if it is malformed.
    private static func weight(_ parameters: some Sequence<ArraySlice<UInt8>>) -> Int? {
        for parameter in parameters {
            let name = parameter.prefix { $0 != UInt8(ascii: "=") }
            let isWeight = name.trimmed(where: \.isBlank).map(\.lowercased) == [UInt8(ascii: "q")]
            guard isWeight else { continue }
            let digits = Array(parameter[name.endIndex...].dropFirst())
            guard (1...5).contains(digits.count), digits.count == 1 || digits[1] == UInt8(ascii: ".") else {
                return nil
            }
            let decimals = digits.dropFirst(2)
            guard decimals.allSatisfy(\.isDigit), digits[0] == 48 || digits[0] == 49 else { return nil }
            let thousandths = (decimals + [48, 48, 48]).prefix(3).reduce(0) { $0 * 10 + Int($1) - 48 }
            let weight = Int(digits[0] - 48) * 1_000 + thousandths
            return weight <= 1_000 ? weight : nil
        }
        return 1_000
    }

    /// Splits at a separator that isn't within quotes. Separators after an unclosed quote are ignored.
    private static func parts(of bytes: ArraySlice<UInt8>, at separator: Unicode.Scalar) -> [ArraySlice<UInt8>] {
        let separator = UInt8(ascii: separator)
        var (isQuoted, isEscaped) = (false, false)
        return bytes.split(omittingEmptySubsequences: false) { byte in
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if byte == UInt8(ascii: "\\"), isQuoted {
                isEscaped = true
            }
            return byte == separator && !isQuoted
        }
    }
}
