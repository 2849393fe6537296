import Alcedo
import Foundation

/// Names for saved files, derived from URLs. They are safe on all systems, and unique even on file systems that ignore
/// case or invisible characters.
///
/// They are assigned before anything is loaded, so that they don't depend on which load ends first.
struct FileNames {
    /// A name whose ending may depend on the format of the image.
    struct Planned: Sendable, Equatable {
        fileprivate let stem: String
        fileprivate let ending: String?

        func name(_ format: ImageFormat?) -> String {
            stem + (ending ?? format.map(FileNames.ending) ?? "")
        }
    }

    private var taken: Set<String> = []
    /// The next number to try for each taken name, so that thousands of equal names don't try all numbers again.
    private var numbers: [String: Int] = [:]

    /// The longest name that file systems accept, in bytes.
    private static let longestName = 255
    /// The length up to which a suffix counts as an ending, in bytes.
    private static let longestEnding = 32

    /// - Parameter keepsEnding: Whether to keep the URL's ending, if it has one, instead of using the format's.
    mutating func plan(for url: String, keepsEnding: Bool = true) -> Planned {
        plan(Self.parts(of: url), keepsEnding: keepsEnding)
    }

    /// Plans a name that a server suggests, and releases the one planned before.
    mutating func replace(_ planned: Planned, with name: String, keepsEnding: Bool = true) -> Planned {
        taken.subtract(Self.identities(planned.stem, planned.ending))
        return plan(Self.parts(ofName: name), keepsEnding: keepsEnding)
    }

    private mutating func plan(_ parts: (stem: String, ending: String?), keepsEnding: Bool) -> Planned {
        var (base, ending) = parts
        if !keepsEnding { ending = nil }
        let room = Self.longestName - (ending?.utf8.count ?? Self.longestEnding)
        var stem = Self.cut(base, toBytes: room)
        base = stem
        let identity = Self.identity(of: base)
        while !take(stem, ending) {
            let number = numbers[identity, default: 2]
            numbers[identity] = number + 1
            let suffix = "-\(number)"
            stem = Self.cut(base, toBytes: room - suffix.utf8.count) + suffix
        }
        return Planned(stem: stem, ending: ending)
    }

    static func ending(of format: ImageFormat) -> String {
        format == .jpeg ? ".jpg" : ".\(safe(format.rawValue))"
    }

    /// Reserves a name, with all known endings if its ending isn't fixed yet. Returns false if it is taken.
    private mutating func take(_ stem: String, _ ending: String?) -> Bool {
        let names = Self.identities(stem, ending)
        guard taken.isDisjoint(with: names) else { return false }
        taken.formUnion(names)
        return true
    }

    private static func identities(_ stem: String, _ ending: String?) -> [String] {
        let endings = ending.map { [$0] } ?? ImageFormat.known.map(Self.ending) + [""]
        return endings.map { identity(of: stem + $0) }
    }

    private static func parts(of url: String) -> (stem: String, ending: String?) {
        // The path of a data URL is the image itself.
        let isNamed = !url.isEmpty && !url.lowercased().hasPrefix("data:")
        let path = isNamed ? (URL(string: url) ?? URL(fileURLWithPath: url)).path(percentEncoded: true) : ""
        let last = Array((path.split(separator: "/").last ?? "").utf8).percentDecoded
        return parts(ofName: String(decoding: last, as: UTF8.self))
    }

    private static func parts(ofName name: String) -> (stem: String, ending: String?) {
        let name = String(safe(withoutSecrets(name)).unicodeScalars.trimmingPrefix { ". ".unicodeScalars.contains($0) })
        var stem = name.lastIndex { $0 != " " }.map { String(name[...$0]) } ?? ""
        var ending: String?
        if let dot = stem.lastIndex(of: "."), isEnding(stem[dot...]) {
            ending = String(stem[dot...])
            stem = String(stem[..<dot])
        }
        // File systems may ignore marks and joiners, so a dot behind them would hide the file.
        let visible = cut(stem, toBytes: .max).unicodeScalars.trimmingPrefix {
            ". ".unicodeScalars.contains($0) || $0.properties.isDefaultIgnorableCodePoint
                || $0.properties.canonicalCombiningClass != .notReordered
        }
        stem = String(visible)
        // A leading hyphen would look like an option.
        if stem.utf8.first == UInt8(ascii: "-") { stem = "_" + String(stem.unicodeScalars.dropFirst()) }
        if stem.unicodeScalars.allSatisfy({ $0 == "_" || $0.properties.isDefaultIgnorableCodePoint }) { stem = "image" }
        if isDevice(stem) { stem = "_" + stem }
        return (stem, ending)
    }

    /// The name up to its parameters, if these contain secrets; otherwise the whole name.
    private static func withoutSecrets(_ name: String) -> String {
        let shown = ShownText.of(url: name)
        return shown == name ? name : String(shown.prefix { !"?;#".contains($0) })
    }

    private static func isEnding(_ text: Substring) -> Bool {
        text.utf8.count <= longestEnding && !text.contains(" ") && text.dropFirst().contains { $0 != "_" }
    }

    /// Cuts a name to a length, and removes dots and blanks at the end, which Windows ignores.
    private static func cut(_ text: String, toBytes room: Int) -> String {
        var scalars = text.unicodeScalars
        var length = text.utf8.count
        while let last = scalars.last, length > room || last == "." || last == " " {
            length -= UTF8.width(last)
            scalars.removeLast()
        }
        return String(scalars)
    }

    /// Returns equal texts for names that some file system treats as equal: it may ignore case and invisible
    /// characters.
    private static func identity(of name: String) -> String {
        let visible = name.unicodeScalars.filter { !$0.properties.isDefaultIgnorableCodePoint }
        return String(String.UnicodeScalarView(visible)).uppercased().lowercased()
    }

    /// Composes characters, as most file systems and programs do, and replaces unsafe ones.
    private static func safe(_ text: String) -> String {
        let scalars = text.precomposedStringWithCanonicalMapping.unicodeScalars.map { isSafe($0) ? $0 : "_" }
        return String(String.UnicodeScalarView(scalars))
    }

    /// Whether the scalar is a letter, a digit or a sign that no system treats specially.
    private static func isSafe(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        if scalar.isASCII {
            return properties.isAlphabetic || ("0"..."9").contains(scalar) || "-_. ".unicodeScalars.contains(scalar)
        }
        // The replacement character stands for bytes that aren't UTF-8.
        if scalar == "\u{FFFD}" { return false }
        // Joiners and variation selectors are parts of letters and pictographs.
        if ("\u{200C}"..."\u{200D}").contains(scalar) || ("\u{FE00}"..."\u{FE0F}").contains(scalar) { return true }
        if properties.isDefaultIgnorableCodePoint { return false }
        switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .spaceSeparator, .lineSeparator,
            .paragraphSeparator:
            return false
        default: return true
        }
    }

    /// Whether Windows would open a device under this name, whatever the ending.
    private static func isDevice(_ stem: String) -> Bool {
        let name = cut(String(stem.unicodeScalars.prefix { $0 != "." }), toBytes: .max).lowercased()
        return name.wholeMatch(of: /con|prn|aux|nul|(com|lpt)[0-9¹²³]/) != nil
    }
}
