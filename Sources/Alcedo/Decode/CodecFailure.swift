#if os(Linux) && (JPEG || PNG)
import CShims

extension alcedo_status {
    /// Throws what a decoder's status means, unless it is done.
    func check(_ format: ImageFormat, _ message: alcedo_message) throws(ImageLoaderError) {
        if self != alcedo_done { throw error(format, message) }
    }

    /// What a status of failure means.
    func error(_ format: ImageFormat, _ message: alcedo_message) -> ImageLoaderError {
        guard self == alcedo_truncated else { return .corruptImage(format, reason: message.reason) }
        let words = message.words
        return .corruptImage(format, reason: words.isEmpty ? "ends too early" : "ends too early: \(words)")
    }
}

extension alcedo_message {
    /// What an error says is wrong: never empty. The shims give no words where memory runs out.
    var reason: String { words.isEmpty ? "the codec gave no reason; memory may have run out" : words }

    /// The codec's own words.
    fileprivate var words: String {
        withUnsafeBytes(of: text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
#endif
