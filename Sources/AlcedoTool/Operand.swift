import Alcedo
import Foundation

/// A URL, or the path of a file.
enum Operand {
    /// A text with a scheme is a URL. The path of a file whose name looks like that begins with "./".
    static func request(_ text: String) throws(ImageLoaderError) -> ImageRequest {
        if text.isEmpty || text.prefixMatch(of: /[A-Za-z][A-Za-z0-9+.\-]*:/) != nil { return try ImageRequest(text) }
        // System calls would take it for the end of the path.
        if text.contains("\0") { throw .invalidURL(text, reason: "a path can't contain a null character") }
        return ImageRequest(url: URL(fileURLWithPath: text, isDirectory: false))
    }
}

extension ImageLoader {
    /// Waits until everything is on disk, in a Task of its own because a cancelled Task wouldn't wait.
    func flushEvenIfCancelled() async {
        await Task { await flush() }.value
    }
}
