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

    /// Returns each URL and file once, however often it is given, and all their names.
    static func all(of options: LoadOptions) -> (items: [LoadItem], names: FileNames) {
        var seen: Set<String> = []
        var names = FileNames()
        var items: [LoadItem] = []
        for text in options.texts {
            let request = Result { () throws(ImageLoaderError) in try Operand.request(text) }
            guard seen.insert(identity(of: request) ?? text).inserted else { continue }
            let url = url(of: request)?.absoluteString ?? text
            let name = names.plan(for: url, keepsEnding: options.keepsEndings)
            items.append(LoadItem(index: items.count, text: text, request: request, name: name))
        }
        return (items, names)
    }

    private static func url(of request: Result<ImageRequest, ImageLoaderError>) -> URL? {
        if case .success(let request) = request { request.url } else { nil }
    }

    private static func identity(of request: Result<ImageRequest, ImageLoaderError>) -> String? {
        guard let url = url(of: request) else { return nil }
        return url.isFileURL ? url.standardizedFileURL.absoluteString : url.absoluteString
    }
}
