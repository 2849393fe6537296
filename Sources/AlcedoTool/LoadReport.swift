import Alcedo
import Foundation

/// The result for one URL, as it is printed.
struct LoadReport: Encodable, Equatable {
    /// The URL without secrets.
    var url: String
    var width: Int?
    var height: Int?
    var format: String?
    var source: String?
    var milliseconds: Double?
    /// The path of the saved file.
    var file: String?
    var error: String?
    /// The kind of the error: a raw value of `ImageLoaderError.Kind`, or "notSaved".
    var errorKind: String?

    /// - Parameter size: The size; nil if the file doesn't specify it.
    init(_ url: String, _ format: ImageFormat?, _ size: PixelSize?, _ source: ImageSource, _ time: Duration) {
        self.url = ShownText.of(url: url)
        width = size?.width
        height = size?.height
        self.format = format?.rawValue
        self.source = source.rawValue
        milliseconds = (time / .microseconds(1)).rounded() / 1000
    }

    init(_ url: String, _ failure: ImageLoaderError) {
        self.url = ShownText.of(url: url)
        error = ErrorText.of(failure)
        errorKind = failure.kind.rawValue
        if case .limitExceeded(.bitmapBytes, _, _) = failure { error? += ", and --resize may avoid it" }
    }

    /// The image was loaded, but its file couldn't be written.
    mutating func fail(toSave path: String, _ reason: String) {
        error = "not saved: \(path): \(reason)"
        errorKind = "notSaved"
    }

    /// One line for people to read.
    var line: String {
        let size = width.map { "\($0) × \(height ?? 0), " } ?? ""
        let time = String(format: "%.1f ms", milliseconds ?? 0)
        let target = file.map { " → \($0)" } ?? ""
        return OneLine.of("\(url): \(format ?? "image"), \(size)\(source ?? "") in \(time)\(target)")
    }
}
