import Alcedo

// The values of options, checked.

extension Arguments {
    /// A whole number.
    func number(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
        guard let text = value(name) else { return nil }
        guard text.isDigits, let number = Int(text), range.contains(number) else {
            throw refusal("\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound): \(text)")
        }
        return number
    }

    /// A number of seconds, up to a day.
    func seconds(_ name: String) throws(UsageError) -> Duration? {
        guard let text = value(name) else { return nil }
        let isDecimal = text.wholeMatch(of: /[0-9]+(\.[0-9]+)?|\.[0-9]+/) != nil
        guard isDecimal, let seconds = Double(text), (0.001...86_400).contains(seconds) else {
            throw refusal("\(name) must be a number of seconds from 0.001 to 86400: \(text)")
        }
        return .milliseconds(Int((seconds * 1000).rounded()))
    }

    /// A size such as 640x480.
    func size(_ name: String) throws(UsageError) -> PixelSize? {
        guard let text = value(name) else { return nil }
        let sides = text.split(omittingEmptySubsequences: false) { "xX×".contains($0) }
        let numbers = sides.filter(\.isDigits).compactMap { Int($0) }.filter { (1...65_535).contains($0) }
        guard sides.count == 2, numbers.count == 2 else {
            throw refusal("\(name) must be WxH, such as 640x480, each from 1 to 65535: \(text)")
        }
        return PixelSize(width: numbers[0], height: numbers[1])
    }

    /// A part of an image, such as 10,20,640x480.
    func region(_ name: String) throws(UsageError) -> PixelRectangle? {
        guard let text = value(name) else { return nil }
        let parts = text.split(omittingEmptySubsequences: false) { ",xX×".contains($0) }
        let numbers = parts.filter(\.isDigits).compactMap { Int($0) }.filter { $0 <= 1 << 24 }
        guard parts.count == 4, numbers.count == 4, numbers[2] > 0, numbers[3] > 0 else {
            throw refusal("\(name) must be X,Y,WxH, such as 100,50,640x480: \(text)")
        }
        return PixelRectangle(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
    }

    /// The directory of a cache. The library takes only those whose paths are UTF-8.
    func cacheDirectory(_ name: String) throws(UsageError) -> String? {
        guard let path = value(name) else { return nil }
        do throws(ImageLoaderError) {
            if String(validating: try Operand.absolutePath(path), as: UTF8.self) != nil { return path }
        } catch {
            throw refusal("\(name): \(ErrorText.of(error))")
        }
        throw refusal("\(name) must be a directory whose whole path is UTF-8: \(path)")
    }

    /// Text that can be sent in a header field.
    func fieldValue(_ name: String) throws(UsageError) -> String? {
        guard let text = value(name) else { return nil }
        if text.hasControlCharacters { throw refusal("\(name) must not contain control characters: \(text)") }
        return text
    }

    /// Header fields such as "Accept-Language: de". Their values may be secret, so errors don't repeat them.
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

    /// A line end would begin another field.
    fileprivate var hasControlCharacters: Bool { unicodeScalars.contains { $0 != "\t" && OneLine.isControl($0) } }

    fileprivate var trimmingSpaces: String {
        let isSpace = { (character: Character) in character == " " || character == "\t" }
        return String(String(drop(while: isSpace).reversed()).drop(while: isSpace).reversed())
    }
}

extension Character {
    /// RFC 9110 section 5.6.2.
    fileprivate var isTokenCharacter: Bool { isASCII && (isLetter || isNumber || "!#$%&'*+-.^_`|~".contains(self)) }
}
