import Alcedo
import Foundation

/// A URL, or the path of a file.
enum Operand {
    /// Returns the request for an argument. A text with a scheme is a URL. A file whose name looks like that must be
    /// given with "./" in front.
    static func request(_ text: String) throws(ImageLoaderError) -> ImageRequest {
        if text.isEmpty { throw .invalidURL(text, reason: "it is empty") }
        if hasScheme(text) { return try ImageRequest(ArgumentText.percentEncoded(text)) }
        let path = try absolutePath(text)
        // System calls would take the null character for the end of the path.
        if path.contains(0) { throw .invalidURL(text, reason: "a path can't contain a null character") }
        return try ImageRequest("file://" + escaped(path))
    }

    /// The URL of a file, whose path needn't be UTF-8, unlike with Foundation's file URLs.
    static func fileURL(ofPath text: String) throws(ImageLoaderError) -> URL? {
        URL(string: "file://" + escaped(try absolutePath(text)))
    }

    static func absolutePath(_ text: String) throws(ImageLoaderError) -> [UInt8] {
        let path = ArgumentText.bytes(of: text)
        return path.first == UInt8(ascii: "/") ? path : try folder(of: text) + path
    }

    private static func hasScheme(_ text: String) -> Bool {
        // Whitespace around a URL is ignored.
        let text = text.utf8.drop { $0 <= 0x20 }
        guard let end = text.firstIndex(of: UInt8(ascii: ":")) else { return false }
        func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }
        guard let first = text.first, isLetter(first) else { return false }
        return text[..<end].allSatisfy { isLetter($0) || "0123456789+-.".utf8.contains($0) }
    }

    /// The bytes of the current directory's path with "/" at its end. Neither this path nor `path` needs to be UTF-8,
    /// unlike with Foundation's file URLs.
    private static func folder(of path: String) throws(ImageLoaderError) -> [UInt8] {
        var folder = [CChar](repeating: 0, count: Int(PATH_MAX))
        guard getcwd(&folder, folder.count) != nil else {
            throw .fileUnreadable(path: path, reason: ErrorText.of(systemCode: errno))
        }
        return folder.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) } + [UInt8(ascii: "/")]
    }

    private static func escaped(_ path: [UInt8]) -> String {
        path.map { byte in
            let scalar = UnicodeScalar(byte)
            let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || "0123456789/._-~".utf8.contains(byte))
            return isPlain ? String(scalar) : (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }
}

extension ImageLoader {
    /// Waits until everything is on disk. It uses a new Task, because a cancelled Task wouldn't wait.
    func flushEvenIfCancelled() async {
        await Task { await flush() }.value
    }
}
