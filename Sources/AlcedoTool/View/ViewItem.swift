import Alcedo
import Foundation

/// An image to show.
struct ViewItem: Sendable {
    /// The URL or path as the user wrote it.
    let text: String

    init(_ text: String) { self.text = text }

    /// The request, created on demand, because a list may be long and few of its images are in sight.
    var request: Result<ImageRequest, ImageLoaderError> {
        Result { () throws(ImageLoaderError) in try Operand.request(text) }
    }

    /// The name of the image's file, if it has one.
    var name: String {
        guard case .success(let request) = request, let url = request.url, url.scheme?.lowercased() != "data" else {
            return ShownText.of(url: text)
        }
        let last = url.lastPathComponent
        return last.isEmpty || last == "/" ? url.host() ?? ShownText.of(url: text) : ShownText.of(url: last)
    }

    /// Returns the images that the arguments name.
    ///
    /// - Parameter list: The list that "-" stands for: one URL or path per line; blank lines and lines that begin with
    ///   "#" are ignored.
    static func all(of texts: [String], list: Data = Data()) -> [ViewItem] {
        texts.flatMap { $0 == "-" ? URLList.lines(of: list) : [$0] }.map { ViewItem($0) }
    }
}
