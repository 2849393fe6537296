import Foundation

/// Text given to the program: arguments, environment variables and lists. The names in it may not be valid UTF-8.
///
/// In the text, each byte that isn't part of valid UTF-8 is represented by a private-use character, from which the byte
/// can be restored.
enum ArgumentText {
    /// The scalar that represents the byte 0.
    private static let firstPrivate: UInt32 = 0x10_FE00

    /// The arguments of this program, including its name.
    static var ofProgram: [String] {
        (0..<Int(CommandLine.argc)).map { index in
            guard let argument = CommandLine.unsafeArgv[index] else { return "" }
            return text(UnsafeRawBufferPointer(start: argument, count: strlen(argument)))
        }
    }

    /// The value of an environment variable; nil if it isn't set.
    static func ofEnvironment(_ name: String) -> String? {
        getenv(name).map { text(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
    }

    static func text(_ bytes: some Collection<UInt8>) -> String {
        if let text = String(validating: bytes, as: UTF8.self), !text.unicodeScalars.contains(where: isPrivate) {
            return text
        }
        var text = String.UnicodeScalarView()
        var rest = Array(bytes)[...]
        while let byte = rest.first {
            let scalar = (1...4).lazy.compactMap { length in
                String(validating: rest.prefix(length), as: UTF8.self)?.unicodeScalars.first
            }.first { !isPrivate($0) }
            if let known = scalar ?? Unicode.Scalar(firstPrivate + UInt32(byte)) { text.append(known) }
            rest = rest.dropFirst(scalar.map { UTF8.width($0) } ?? 1)
        }
        return String(text)
    }

    static func bytes(of text: String) -> [UInt8] {
        text.unicodeScalars.flatMap { scalar in
            isPrivate(scalar) ? [UInt8(scalar.value - firstPrivate)] : Array(String(scalar).utf8)
        }
    }

    /// The path of a file, as bytes for a system call.
    static func path(_ text: String) -> [CChar] { bytes(of: text).map { CChar(bitPattern: $0) } + [0] }

    /// The text for use in a URL. Bytes that aren't UTF-8 are percent-encoded, as browsers do.
    static func percentEncoded(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isPrivate) else { return text }
        return text.unicodeScalars.map { scalar in
            isPrivate(scalar) ? "%" + String(scalar.value - firstPrivate, radix: 16, uppercase: true) : String(scalar)
        }.joined()
    }

    /// The text for printing. Each byte that isn't UTF-8 is shown as a replacement character.
    static func shown(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isPrivate) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.map { isPrivate($0) ? "\u{FFFD}" : $0 }))
    }

    private static func isPrivate(_ scalar: Unicode.Scalar) -> Bool {
        (firstPrivate...firstPrivate + 0xFF).contains(scalar.value)
    }
}
