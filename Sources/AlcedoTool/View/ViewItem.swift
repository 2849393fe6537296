import Alcedo
import Foundation

/// A picture to show.
struct ViewItem: Sendable {
    /// As the user wrote it.
    let text: String

    init(_ text: String) { self.text = text }

    /// Made when it is needed: a list may be long, and few of its pictures are in sight.
    var request: Result<ImageRequest, ImageLoaderError> {
        Result { () throws(ImageLoaderError) in try Operand.request(text) }
    }

    /// The name of its file, if it has one.
    var name: String {
        guard case .success(let request) = request, let url = request.url, url.scheme?.lowercased() != "data" else {
            return ShownText.of(url: text)
        }
        let last = url.lastPathComponent
        return last.isEmpty || last == "/" ? url.host() ?? ShownText.of(url: text) : ShownText.of(url: last)
    }

    /// All pictures that the arguments name.
    ///
    /// - Parameter list: The list that "-" stands for: one URL or path per line; blank lines and those that begin with
    ///   "#" are ignored.
    static func all(of texts: [String], list: Data = Data()) -> [ViewItem] {
        texts.flatMap { $0 == "-" ? URLList.lines(of: list) : [$0] }.map { ViewItem($0) }
    }
}
