#if os(Linux) && (JPEG || PNG || TIFF)
import CShims

extension alcedo_status {
    /// Throws the error for a decoder's status, unless the status is `alcedo_done`.
    func check(_ format: ImageFormat, _ message: alcedo_message) throws(ImageLoaderError) {
        if self != alcedo_done { throw error(format, message) }
    }

    /// The error for a failure status.
    func error(_ format: ImageFormat, _ message: alcedo_message) -> ImageLoaderError {
        guard self == alcedo_truncated else { return .corruptImage(format, reason: message.reason) }
        let words = message.words
        return .corruptImage(format, reason: words.isEmpty ? "ends too early" : "ends too early: \(words)")
    }
}

extension alcedo_message {
    /// A reason for an error, never empty. The shims give no message when memory runs out.
    var reason: String { words.isEmpty ? "the codec gave no reason; memory may have run out" : words }

    /// The codec's own message.
    fileprivate var words: String {
        withUnsafeBytes(of: text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
#endif
