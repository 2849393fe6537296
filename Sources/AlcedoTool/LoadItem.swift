import Alcedo
import Foundation

/// Something to load, with the name it is saved under.
struct LoadItem: Sendable {
    /// The position in the order given by the user.
    let index: Int
    /// The URL or path as the user wrote it.
    let text: String
    let request: Result<ImageRequest, ImageLoaderError>
    let name: FileNames.Planned

    /// Returns each URL and file once, however often it is given.
    static func all(of options: LoadOptions) -> [LoadItem] {
        var seen: Set<String> = []
        var names = FileNames()
        var items: [LoadItem] = []
        for text in options.texts {
            let request = Result { () throws(ImageLoaderError) in try Operand.request(text) }
            guard seen.insert(identity(of: request) ?? text).inserted else { continue }
            let url = url(of: request)?.absoluteString ?? text
            let name = names.plan(for: url, keepsEnding: options.format == nil && !options.reducesImages)
            items.append(LoadItem(index: items.count, text: text, request: request, name: name))
        }
        return items
    }

    private static func url(of request: Result<ImageRequest, ImageLoaderError>) -> URL? {
        if case .success(let request) = request { request.url } else { nil }
    }

    private static func identity(of request: Result<ImageRequest, ImageLoaderError>) -> String? {
        guard let url = url(of: request) else { return nil }
        return url.isFileURL ? url.standardizedFileURL.absoluteString : url.absoluteString
    }
}
