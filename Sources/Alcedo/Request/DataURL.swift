package import Foundation

/// The content of a `data:` URL (RFC 2397), parsed as browsers do. The media type is ignored, because formats are
/// detected.
package struct DataURL: Sendable, Equatable {
    package let data: Data

    /// - Parameters:
    ///   - text: An absolute URL. A fragment is ignored.
    ///   - byteLimit: The maximum size of the content in bytes, checked before anything is decoded.
    /// - Throws: ``ImageLoaderError/invalidURL(_:reason:)`` with the beginning of `text`, and
    ///   ``ImageLoaderError/limitExceeded(_:value:allowed:)``.
    package init(_ text: String, byteLimit: Int) throws(ImageLoaderError) {
        var text = text
        // Parsed as bytes, because a large URL would take seconds character by character.
        let result = text.withUTF8 { bytes in
            Result { () throws(ImageLoaderError) in try Self(bytes: bytes, byteLimit: byteLimit) }
        }
        self = try result.get()
    }

    private init(bytes: UnsafeBufferPointer<UInt8>, byteLimit: Int) throws(ImageLoaderError) {
        let url = bytes[..<(bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex)]
        guard String(decoding: url.prefix(5), as: UTF8.self).lowercased() == "data:" else {
            throw Self.failure(bytes, "it is no data: URL")
        }
        guard let comma = url.firstIndex(of: UInt8(ascii: ",")) else {
            throw Self.failure(bytes, "there is no comma before the data")
        }
        // In a URL's normal form, spaces are escaped.
        let words = String(decoding: url[5..<comma], as: UTF8.self).replacing("%20", with: " ")
            .split(separator: ";", omittingEmptySubsequences: false).map { $0.trimmed { $0 == " " } }
        let isBase64 = words.count > 1 && words.last?.lowercased() == "base64"
        let content = PercentDecoded(UnsafeBufferPointer(rebasing: url[(comma + 1)...]))
        let count = isBase64 ? Base64.largestCount(of: content) : content.reduce(0) { count, _ in count + 1 }
        guard count <= byteLimit else { throw .limitExceeded(.inputBytes, value: count, allowed: byteLimit) }
        if isBase64 {
            guard let decoded = Base64.decode(content) else { throw Self.failure(bytes, "its data is not base64") }
            data = decoded
        } else {
            data = Data(content)
        }
    }

    private static func failure(_ bytes: UnsafeBufferPointer<UInt8>, _ reason: String) -> ImageLoaderError {
        let beginning = String(decoding: bytes.prefix(80), as: UTF8.self)
        return .invalidURL(bytes.count > 80 ? beginning + "…" : beginning, reason: reason)
    }
}
