import Alcedo
import Foundation

/// A URL, or the path of a file.
enum Operand {
    /// A text with a scheme is a URL. The path of a file whose name looks like that begins with "./".
    static func request(_ text: String) throws(ImageLoaderError) -> ImageRequest {
        if text.isEmpty { throw .invalidURL(text, reason: "it is empty") }
        if hasScheme(text) { return try request(url: text) }
        // System calls would take it for the end of the path.
        if text.contains("\0") { throw .invalidURL(text, reason: "a path can't contain a null character") }
        return ImageRequest(url: URL(fileURLWithPath: text, isDirectory: false))
    }

    private static func hasScheme(_ text: String) -> Bool {
        guard let end = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
        func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }
        guard let first = text.utf8.first, isLetter(first) else { return false }
        return text.utf8[..<end].allSatisfy { isLetter($0) || "0123456789+-.".utf8.contains($0) }
    }

    /// A URL may have characters beyond ASCII, as browsers show them. They are encoded; what is encoded already stays.
    static func request(url text: String) throws(ImageLoaderError) -> ImageRequest {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return try ImageRequest(text) }
        // Only Foundation knows how names of hosts are encoded.
        let origin = text.prefixMatch(of: /[^:\/?#]+:\/\/[^\/?#]*/)?.output ?? ""
        let rest = text[origin.endIndex...].utf8.map { byte in
            byte < 0x80 ? String(UnicodeScalar(byte)) : "%" + String(byte, radix: 16, uppercase: true)
        }
        let encoded = URL(string: String(origin), encodingInvalidCharacters: true)?.absoluteString
        return try ImageRequest((encoded ?? String(origin)) + rest.joined())
    }
}

extension ImageLoader {
    /// Waits until everything is on disk, in a Task of its own because a cancelled Task wouldn't wait.
    func flushEvenIfCancelled() async {
        await Task { await flush() }.value
    }
}
