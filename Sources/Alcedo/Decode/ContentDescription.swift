import Foundation

/// Describes bytes that aren't an image, so that an error can say what a server sent instead.
struct ContentDescription {
    let text: String

    init(of data: Data) {
        let head = data.prefix(512)
        if head.isEmpty {
            text = "no bytes"
        } else if head.starts(with: [0x1F, 0x8B]) {
            text = "gzip data"
        } else if let words = Self.words(of: head) {
            text = Self.kind(of: words)
        } else {
            text = "unknown bytes " + head.prefix(8).map { "0x" + [$0].hexadecimal }.joined(separator: " ")
        }
    }

    /// The beginning as lower-case text; nil if it contains bytes that don't occur in text.
    private static func words(of head: Data) -> String? {
        guard head.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || (0x09...0x0D).contains($0) }) else { return nil }
        // Invalid bytes are repaired: the cut after 512 bytes may split a character, and an old page may not be UTF-8.
        let text = String(decoding: head, as: UTF8.self)
        guard text.unicodeScalars.count(where: { $0 == "\u{FFFD}" }) * 8 <= text.unicodeScalars.count else {
            return nil
        }
        return text.trimmingCharacters(in: .whitespacesAndNewlines.union(["\u{FEFF}"])).lowercased()
    }

    private static func kind(of words: String) -> String {
        if ["<!doctype html", "<html", "<head", "<body", "<script"].contains(where: words.contains) { return "HTML" }
        if words.hasPrefix("<?xml") { return "XML" }
        if words.hasPrefix("{") || words.hasPrefix("[") { return "JSON" }
        return words.isEmpty ? "blank text" : "plain text"
    }
}
