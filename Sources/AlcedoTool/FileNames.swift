import Alcedo
import Foundation

/// Names for saved files, derived from URLs: safe on all systems, and unique whatever the case of their letters.
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

    /// - Parameter keepsEnding: Whether to keep the URL's ending, if there is one, instead of the format's.
    mutating func plan(for url: String, keepsEnding: Bool = true) -> Planned {
        var (stem, ending) = Self.parts(of: url)
        if !keepsEnding { ending = nil }
        let base = stem
        while !take(stem, ending) {
            let number = numbers[base.lowercased(), default: 2]
            numbers[base.lowercased()] = number + 1
            stem = "\(base)-\(number)"
        }
        return Planned(stem: stem, ending: ending)
    }

    static func ending(of format: ImageFormat) -> String {
        format == .jpeg ? ".jpg" : ".\(safe(format.rawValue))"
    }

    /// A name without an ending yet may get any of them.
    private mutating func take(_ stem: String, _ ending: String?) -> Bool {
        let endings = ending.map { [$0] } ?? ImageFormat.known.map(Self.ending) + [""]
        let names = endings.map { (stem + $0).lowercased() }
        guard taken.isDisjoint(with: names) else { return false }
        taken.formUnion(names)
        return true
    }

    private static func parts(of url: String) -> (stem: String, ending: String?) {
        // The path of a data URL is the image itself.
        let isNamed = !url.isEmpty && !url.lowercased().hasPrefix("data:")
        let last = isNamed ? (URL(string: url) ?? URL(fileURLWithPath: url)).lastPathComponent : ""
        var stem = String(safe(last).trimmingPrefix { $0 == "." }.prefix(80))
        var ending: String?
        if let dot = stem.lastIndex(of: "."), stem[dot...].dropFirst().contains(where: { $0 != "_" }) {
            ending = String(stem[dot...])
            stem = String(stem[..<dot])
        }
        // Windows ignores dots at the end.
        while stem.last == "." { stem.removeLast() }
        // A hyphen would look like an option.
        if stem.first == "-" { stem = "_" + stem.dropFirst() }
        if stem.allSatisfy({ $0 == "_" }) { stem = "image" }
        if isDevice(stem) { stem = "_" + stem }
        return (stem, ending)
    }

    private static func safe(_ text: String) -> String {
        String(text.map { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) ? $0 : "_" })
    }

    /// With such a name, Windows opens a device, whatever the ending.
    private static func isDevice(_ stem: String) -> Bool {
        stem.prefix { $0 != "." }.lowercased().wholeMatch(of: /con|prn|aux|nul|(com|lpt)[0-9]/) != nil
    }
}
