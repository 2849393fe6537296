import Alcedo
import Foundation
import HTTPTypes
import Hummingbird

/// A source of encoded files.
package protocol FileSource: Sendable {
    func encoded(
        for request: ImageRequest, as encoder: any FileEncoding, ifNoneMatch: String?
    ) async throws(ImageLoaderError) -> ConditionalImage
}

extension ImageLoader: FileSource {}

/// Answers requests for images.
struct ImageRoutes: Sendable {
    let source: any FileSource
    let settings: Settings

    func image(_ request: Request, _ context: some RequestContext) async -> Response {
        guard let signature = context.parameters.get("signature"), let text = context.parameters.get("options"),
            let source = context.parameters.get("source"),
            let url = SignedPath.source(signature: signature, options: text, source: source, key: settings.key),
            url.scheme == "http" || url.scheme == "https"
        else { return plain(.forbidden, "The signature isn't that of the path.") }
        do {
            let options = try settings.presets[text] ?? ImageOptions(text, maximumSide: settings.maximumSide)
            return try await image(options, url, request)
        } catch let error as ImageOptions.Problem {
            return plain(.badRequest, "In the path, \(error).")
        } catch ImageLoaderError.cancelled {
            return plain(HTTPResponse.Status(code: 499), "The client has left.")
        } catch let error as ImageLoaderError {
            context.logger.info("\(error.localizedDescription)", metadata: ["source": "\(url.host() ?? "")"])
            return answer(error)
        } catch {
            return plain(.internalServerError, "The image couldn't be made.")
        }
    }

    private func image(_ options: ImageOptions, _ url: URL, _ request: Request) async throws -> Response {
        let answer = try await source.encoded(
            for: options.request(for: url), as: options.encoder(accept: request.headers[.accept] ?? ""),
            ifNoneMatch: request.headers[.ifNoneMatch])
        switch answer {
        case .modified(let image):
            return Response(
                status: .ok, headers: fields(image.headers, options),
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: image.data)))
        case .notModified(let head): return Response(status: .notModified, headers: fields(head.headers, options))
        }
    }

    private func fields(_ headers: HTTPHeaders, _ options: ImageOptions) -> HTTPFields {
        var fields = HTTPFields(headers)
        if fields[.cacheControl] == nil { fields[.cacheControl] = "public, max-age=\(settings.defaultMaxAge)" }
        if options.format == nil { fields[.vary] = "Accept" }
        fields[.xContentTypeOptions] = "nosniff"
        return fields
    }

    private func answer(_ error: ImageLoaderError) -> Response {
        var response = plain(HTTPResponse.Status(code: error.serviceStatus), error.serviceText)
        if case .overloaded = error { response.headers[.retryAfter] = "1" }
        // Requests that failed for other reasons may be repeated soon.
        let isLasting = [404, 410, 413, 415, 422].contains(error.serviceStatus)
        response.headers[.cacheControl] = isLasting ? "public, max-age=60" : "no-store"
        return response
    }

    private func plain(_ status: HTTPResponse.Status, _ text: String) -> Response {
        Response(
            status: status, headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text + "\n")))
    }
}

extension HTTPFields {
    init(_ headers: HTTPHeaders) {
        self.init(
            headers.compactMap { field in
                HTTPField.Name(field.name).map { HTTPField(name: $0, value: field.value) }
            })
    }
}
