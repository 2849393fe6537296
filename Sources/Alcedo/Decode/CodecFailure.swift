#if os(Linux) && (JPEG || PNG)
import CShims

extension alcedo_status {
    /// Throws what a decoder's status means, unless it is done.
    func check(_ format: ImageFormat, _ message: alcedo_message) throws(ImageLoaderError) {
        guard self != alcedo_done else { return }
        let words = message.words
        if self == alcedo_truncated {
            throw .corruptImage(format, reason: words.isEmpty ? "ends too early" : "ends too early: \(words)")
        }
        throw .corruptImage(format, reason: words)
    }
}

extension alcedo_message {
    /// The codec's own words.
    var words: String {
        withUnsafeBytes(of: text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
#endif
