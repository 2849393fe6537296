import Foundation
import Testing

/// A Swift file in Sources.
struct SourceFile: Sendable {
    /// The path in Sources, such as "Alcedo/Disk/DiskStore.swift".
    let path: String
    let lines: [Substring]
    /// The lines without comments and string literals, but with the expressions in these literals.
    let code: [String]
    /// The same as one text.
    private let text: String

    init(path: String, text: String) {
        self.path = path
        lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let (text, expression) = (/"(?:\\.|[^"\\])*"/, /\\(\((?:[^()]|\([^()]*\))*\))/)
        code = lines.map { line in
            let isPlain = !line.utf8.contains(UInt8(ascii: "\"")) && !line.contains("//")
            return isPlain
                ? String(line)
                : String(line).replacing(text) { "\"\"" + $0.output.matches(of: expression).map(\.1).joined() }
                    .replacing(/\/\/.*/, with: "")
        }
        self.text = code.joined(separator: "\n")
    }

    /// The lines of code with one of these words, which are found much faster than by a regular expression.
    func code(with words: [String]) -> [String] {
        let words = words.filter { strstr(text, $0) != nil }
        return words.isEmpty ? [] : code.filter { line in words.contains { strstr(line, $0) != nil } }
    }

    /// Whether the file declares a type, at any depth, with a keyword that matches.
    func declares(_ keyword: Regex<Substring>) -> Bool {
        let modifiers: Set<Substring> = ["public", "package", "private", "fileprivate", "final", "indirect"]
        return code.contains { line in
            let words = line.split(separator: " ").drop { modifiers.contains($0) }
            return words.count > 1 && words.first?.wholeMatch(of: keyword) != nil
        }
    }

    /// All files, read once.
    static var all: [SourceFile] { get throws { try read.get() } }

    static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static let read = Result {
        let root = package.appendingPathComponent("Sources")
        let files = try #require(FileManager.default.enumerator(atPath: root.path))
        return try files.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }.map { path in
            SourceFile(path: path, text: try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8))
        }
    }
}
