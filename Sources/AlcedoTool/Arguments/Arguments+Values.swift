import Alcedo

// Checked values of options.

extension Arguments {
    /// The value of an option as a whole number.
    func number(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
        guard let text = value(name) else { return nil }
        guard text.isDigits, let number = Int(text), range.contains(number) else {
            throw refusal("\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound): \(text)")
        }
        return number
    }

    /// The value of an option as a number of seconds, at most a day.
    func seconds(_ name: String) throws(UsageError) -> Duration? {
        guard let text = value(name) else { return nil }
        let isDecimal = text.wholeMatch(of: /[0-9]+(\.[0-9]+)?|\.[0-9]+/) != nil
        guard isDecimal, let seconds = Double(text), (0.001...86_400).contains(seconds) else {
            throw refusal("\(name) must be a number of seconds from 0.001 to 86400: \(text)")
        }
        return .milliseconds(Int((seconds * 1000).rounded()))
    }

    /// The value of an option as a size, such as 640x480.
    func size(_ name: String) throws(UsageError) -> PixelSize? {
        guard let text = value(name) else { return nil }
        let sides = text.split(omittingEmptySubsequences: false) { "xX×".contains($0) }
        let numbers = sides.filter(\.isDigits).compactMap { Int($0) }.filter { (1...65_535).contains($0) }
        guard sides.count == 2, numbers.count == 2 else {
            throw refusal("\(name) must be WxH, such as 640x480, each from 1 to 65535: \(text)")
        }
        return PixelSize(width: numbers[0], height: numbers[1])
    }

    /// The value of an option as a part of an image, such as 10,20,640x480.
    func region(_ name: String) throws(UsageError) -> PixelRectangle? {
        guard let text = value(name) else { return nil }
        let parts = text.split(omittingEmptySubsequences: false) { ",xX×".contains($0) }
        let numbers = parts.filter(\.isDigits).compactMap { Int($0) }.filter { $0 <= 1 << 24 }
        guard parts.count == 4, numbers.count == 4, numbers[2] > 0, numbers[3] > 0 else {
            throw refusal("\(name) must be X,Y,WxH, such as 100,50,640x480: \(text)")
        }
        return PixelRectangle(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
    }

    /// Whether `--quiet` is given. Throws if `--json` is given too.
    func isQuiet() throws(UsageError) -> Bool {
        guard command.option("--quiet") != nil, has("--quiet") else { return false }
        if has("--json") { throw refusal("--quiet and --json can't be used together") }
        return true
    }

    /// The directory of a cache. The library accepts only paths that are UTF-8.
    func cacheDirectory(_ name: String) throws(UsageError) -> String? {
        guard let path = value(name) else { return nil }
        do throws(ImageLoaderError) {
            if String(validating: try Operand.absolutePath(path), as: UTF8.self) != nil { return path }
        } catch {
            throw refusal("\(name): \(ErrorText.of(error))")
        }
        throw refusal("\(name) must be a directory whose path is valid UTF-8: \(path)")
    }

    /// The value of an option as text that can be sent in a header field.
    func fieldValue(_ name: String) throws(UsageError) -> String? {
        guard let text = value(name) else { return nil }
        if text.hasControlCharacters { throw refusal("\(name) must not contain control characters: \(text)") }
        return text
    }

    /// The values of an option as header fields, such as "Accept-Language: de". They may be secret, so errors don't
    /// repeat them.
    func fields(_ name: String) throws(UsageError) -> [HTTPHeaders.Field] {
        var fields: [HTTPHeaders.Field] = []
        for text in all(name) {
            guard let colon = text.firstIndex(of: ":") else {
                throw refusal("\(name) must be 'NAME: VALUE', with a colon")
            }
            let field = text[..<colon]
            guard !field.isEmpty, field.allSatisfy(\.isTokenCharacter) else {
                throw refusal("\(name) has no valid name before the colon: \(field)")
            }
            let value = text[text.index(after: colon)...].trimmingSpaces
            if value.hasControlCharacters { throw refusal("\(name) must not contain control characters: \(field)") }
            fields.append(HTTPHeaders.Field(name: String(field), value: value))
        }
        return fields
    }
}

extension StringProtocol {
    fileprivate var isDigits: Bool { !isEmpty && allSatisfy { $0.isASCII && $0.isNumber } }

    /// Whether the text contains control characters. A line end would begin another field.
    fileprivate var hasControlCharacters: Bool { unicodeScalars.contains { $0 != "\t" && OneLine.isControl($0) } }

    fileprivate var trimmingSpaces: String {
        let isSpace = { (character: Character) in character == " " || character == "\t" }
        return String(String(drop(while: isSpace).reversed()).drop(while: isSpace).reversed())
    }
}

extension Character {
    /// Whether the character may be part of a token (RFC 9110 section 5.6.2).
    fileprivate var isTokenCharacter: Bool { isASCII && (isLetter || isNumber || "!#$%&'*+-.^_`|~".contains(self)) }
}
