#if canImport(ImageIO) || os(Linux) && JPEG && PNG
import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

/// The functions that load images or bytes.
enum LoadRows {
    static let all = [
        loading("ImageLoader.image(for: URL)") { loader, request, here in
            guard let url = request.url else { return }
            defer { here.note() }
            _ = try await loader.image(for: url)
        },
        loading("ImageLoader.image(for: ImageRequest)") { loader, request, here in
            defer { here.note() }
            _ = try await loader.image(for: request)
        },
        loading("ImageLoader.encoded(for: ImageRequest, as: any FileEncoding)") { loader, request, here in
            defer { here.note() }
            _ = try await loader.encoded(for: request, as: PNGEncoder())
        },
        loading("ImageLoader.encoded(for: URL, as: any FileEncoding)") { loader, request, here in
            guard let url = request.url else { return }
            defer { here.note() }
            _ = try await loader.encoded(for: url, as: PNGEncoder())
        },
        loading("ImageLoader.encoded(for: ImageRequest, as: any FileEncoding, ifNoneMatch: String?)") {
            loader, request, here in
            defer { here.note() }
            _ = try await loader.encoded(for: request, as: PNGEncoder(), ifNoneMatch: nil)
        },
        loading("ImageLoader.response(for: ImageRequest)") { loader, request, here in
            defer { here.note() }
            _ = try await loader.response(for: request)
        },
        loading("ImageLoader.data(for: ImageRequest)", decodes: false) { loader, request, here in
            defer { here.note() }
            _ = try await loader.data(for: request)
        },
        loading("ImageLoader.dataResponse(for: ImageRequest)", decodes: false) { loader, request, here in
            defer { here.note() }
            _ = try await loader.dataResponse(for: request)
        },
        loading("ImageLoader.response(for: URL)") { loader, request, here in
            guard let url = request.url else { return }
            defer { here.note() }
            _ = try await loader.response(for: url)
        },
        loading("ImageLoader.data(for: URL)", decodes: false) { loader, request, here in
            guard let url = request.url else { return }
            defer { here.note() }
            _ = try await loader.data(for: url)
        },
        loading("ImageLoader.dataResponse(for: URL)", decodes: false) { loader, request, here in
            guard let url = request.url else { return }
            defer { here.note() }
            _ = try await loader.dataResponse(for: url)
        },
        loading("ImageBatch.Iterator.next()") { loader, request, here in
            var images = loader.images(for: [request]).makeAsyncIterator()
            defer { here.note() }
            guard let element = await images.next() else { throw ImageLoaderError.cancelled }
            _ = try element.result.get()
        },
        loading("ImageBatch.Iterator.next(isolation: isolated (any Actor)?)") { loader, request, here in
            var images = loader.images(for: [request], order: .asRequested).makeAsyncIterator()
            defer { here.note() }
            guard let element = await images.next(isolation: #isolation) else { throw ImageLoaderError.cancelled }
            _ = try element.result.get()
        },
        loading("ImageResponses.Iterator.next()") { loader, request, here in
            var responses = loader.responses(for: request).makeAsyncIterator()
            defer { here.note() }
            _ = try await responses.next()
        },
        loading("ImageResponses.Iterator.next(isolation: isolated (any Actor)?)") { loader, request, here in
            var responses = loader.responses(for: request).makeAsyncIterator()
            defer { here.note() }
            _ = try await responses.next(isolation: #isolation)
        },
        downloading("DownloadCoordinator.data(for: ImageRequest)") { downloads, request, here in
            defer { here.note() }
            _ = try await downloads.data(for: request)
        },
        downloading("DownloadCoordinator.response(for: ImageRequest)") { downloads, request, here in
            defer { here.note() }
            _ = try await downloads.response(for: request)
        },
        loading("LoadTask.value") { loader, request, here in
            let task = loader.imageTask(for: request)
            defer { here.note() }
            _ = try await task.value
        },
        loading("LoadTask.image") { loader, request, here in
            let task = loader.imageTask(for: request)
            defer { here.note() }
            _ = try await task.image
        },
        Row(
            "ImageSlot.settled()",
            { try await settling { try await $0.respond() } },
            { try await settling { try await $0.fail() } },
            { try await settling(cancelled: .beforeTheCall) },
            { try await settling(cancelled: .whileItWaits) { _ = try await $0.transport.nextCall() } }),
    ]

    /// However its load ends, a slot returns its phase, even to a cancelled Task.
    private static func settling(
        cancelled: Scenario.Cancellation = .never,
        meanwhile: @escaping @Sendable (LoaderStage) async throws -> Void = { _ in }
    ) async throws -> Scenario {
        let stage = try LoaderStage()
        let slot = await MainActor.run {
            let slot = ImageSlot(stage.loader)
            slot.load(stage.request)
            return slot
        }
        return Scenario(
            .value, cancelled: cancelled,
            { here in
                defer { here.note() }
                await slot.settled()
            }, meanwhile: { try await meanwhile(stage) })
    }

    private static func downloading(
        _ name: String,
        _ load: @escaping @Sendable (DownloadCoordinator, ImageRequest, Resumption) async throws -> Void
    ) -> Row {
        Row(
            name,
            {
                let stage = try LoaderStage()
                return Scenario(
                    .value, { try await load(stage.loader.downloads, stage.request, $0) },
                    meanwhile: { try await stage.respond() })
            },
            {
                let stage = try LoaderStage()
                return Scenario(
                    .error, { try await load(stage.loader.downloads, stage.request, $0) },
                    meanwhile: { try await stage.fail() })
            },
            {
                let stage = try LoaderStage()
                return Scenario(
                    .cancelled, cancelled: .beforeTheCall,
                    { try await load(stage.loader.downloads, stage.request, $0) })
            },
            {
                let stage = try LoaderStage()
                return Scenario(
                    .cancelled, cancelled: .whileItWaits,
                    { try await load(stage.loader.downloads, stage.request, $0) },
                    meanwhile: { _ = try await stage.transport.nextCall() })
            })
    }

    /// A transport for what a store that fails doesn't have.
    private static func answering() throws -> ScriptedDataLoader {
        let png = try Pictures.png()
        return ScriptedDataLoader { _ in .bytes(png) }
    }

    private typealias Load = @Sendable (ImageLoader, ImageRequest, Resumption) async throws -> Void

    private static func loading(_ name: String, decodes: Bool = true, _ load: @escaping Load) -> Row {
        Row(
            name,
            {
                let stage = try LoaderStage()
                return Scenario(
                    .value, { try await load(stage.loader, stage.request, $0) },
                    meanwhile: { try await stage.respond() })
            },
            {
                let stage = try LoaderStage(LoaderStage.store == nil ? ScriptedDataLoader() : answering())
                try await stage.loader.store(stage.png, for: stage.request)
                return Scenario(.value) { try await load(stage.loader, stage.request, $0) }
            },
            {
                let stage = try LoaderStage()
                return Scenario(
                    .error, { try await load(stage.loader, stage.request, $0) }, meanwhile: { try await stage.fail() })
            },
            // This file is read and refused on this machine, without a transport.
            {
                let stage = try LoaderStage()
                let request = ImageRequest(url: URL(fileURLWithPath: "/no/such/file.png"))
                return Scenario(.error) { try await load(stage.loader, request, $0) }
            },
            {
                let stage = try LoaderStage()
                let url = try #require(URL(string: "file:x"))
                let request = ImageRequest(url: url)
                return Scenario(.error) { try await load(stage.loader, request, $0) }
            },
            {
                let stage = try LoaderStage(ScriptedDataLoader { _ in .bytes(Data("no picture".utf8)) })
                return Scenario(decodes ? .error : .value) { try await load(stage.loader, stage.request, $0) }
            },
            // A function that takes a URL has no policy, so it fails through the transport.
            {
                let stage = try LoaderStage(ScriptedDataLoader { _ in .failure(.timedOut(.idle)) })
                var changed = stage.request
                changed.readPolicy = .cachedOnly
                let request = changed
                return Scenario(.error) { try await load(stage.loader, request, $0) }
            },
            {
                let stage = try LoaderStage()
                return Scenario(.cancelled, cancelled: .beforeTheCall) {
                    try await load(stage.loader, stage.request, $0)
                }
            },
            {
                let stage = try LoaderStage()
                return Scenario(
                    .cancelled, cancelled: .whileItWaits, { try await load(stage.loader, stage.request, $0) },
                    meanwhile: { _ = try await stage.transport.nextCall() })
            })
    }
}
#endif
