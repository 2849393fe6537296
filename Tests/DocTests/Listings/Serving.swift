import Alcedo
import Foundation

/// The listings about services, one function for each.
enum Serving {
    static func file(
        of source: URL, accept: String, send: (Data, HTTPHeaders) -> Void
    ) async throws {
        // region: encoded
        let loader = ImageLoader(.server)
        var request = ImageRequest(url: source)
        request.targetSize = .width(800)
        let encoder = AutomaticEncoder(accept: accept)  // the client's field Accept
        let image = try await loader.encoded(for: request, as: encoder)
        send(image.data, image.headers)
        // endregion
    }

    static func conditional(
        _ loader: ImageLoader, _ request: ImageRequest, _ encoder: AutomaticEncoder, ifNoneMatch: String?,
        send: (Int, HTTPHeaders, Data) -> Void
    ) async throws {
        // region: encoded-if-none-match
        switch try await loader.encoded(for: request, as: encoder, ifNoneMatch: ifNoneMatch) {
        case .modified(let image): send(200, image.headers, image.data)
        case .notModified(let head): send(304, head.headers, Data())
        }
        // endregion
    }

    static func alone(_ loader: ImageLoader, _ url: URL, _ field: String) async throws -> Data {
        // region: encoded-for-a-client
        var request = ImageRequest(url: url)
        request.targetSize = .width(800)
        let image = try await loader.encoded(for: request, as: AutomaticEncoder(accept: field))
        // endregion
        return image.data
    }
}
