#if canImport(ImageIO) || os(Linux) && JPEG && PNG
import Alcedo
import AlcedoTestSupport
import Foundation

/// The functions of a loader that concern its caches and its loads.
enum CacheRows {
    static let all =
        stores + storesAtURLs + [
            OwnerRows.plain("ImageLoader.remove(_: ImageRequest)") { loader, request, here in
                defer { here.note() }
                await loader.remove(request)
            },
            OwnerRows.plain("ImageLoader.removeAll()") { loader, _, here in
                defer { here.note() }
                await loader.removeAll()
            },
            OwnerRows.plain("ImageLoader.flush()") { loader, _, here in
                defer { here.note() }
                await loader.flush()
            },
            OwnerRows.plain("ImageLoader.contains(_: ImageRequest, in: CacheTiers)") { loader, request, here in
                defer { here.note() }
                _ = await loader.contains(request, in: .disk)
            },
            OwnerRows.plain("ImageLoader.isLoading(_: ImageRequest)") { loader, request, here in
                defer { here.note() }
                _ = await loader.isLoading(request)
            },
            OwnerRows.plain("ImageLoader.remove(_: URL)") { loader, request, here in
                guard let url = request.url else { return }
                defer { here.note() }
                await loader.remove(url)
            },
            OwnerRows.plain("ImageLoader.contains(_: URL, in: CacheTiers)") { loader, request, here in
                guard let url = request.url else { return }
                defer { here.note() }
                _ = await loader.contains(url, in: .disk)
            },
            OwnerRows.plain("ImageLoader.isLoading(_: URL)") { loader, request, here in
                guard let url = request.url else { return }
                defer { here.note() }
                _ = await loader.isLoading(url)
            },
            OwnerRows.plain("ImageLoader.cancelAll()") { loader, _, here in
                defer { here.note() }
                await loader.cancelAll()
            },
            OwnerRows.plain("ImageLoader.coalescedLoadCount") { loader, _, here in
                defer { here.note() }
                _ = await loader.coalescedLoadCount
            },
            OwnerRows.plain("ImageLoader.metrics") { loader, _, here in
                defer { here.note() }
                _ = await loader.metrics
            },
            OwnerRows.plain("ImageLoader.activity") { loader, _, here in
                defer { here.note() }
                _ = await loader.activity
            },
            OwnerRows.plain("ImageLoader.close()") { loader, _, here in
                defer { here.note() }
                await loader.close()
            },
            OwnerRows.plain("LoadTask.end()") { loader, request, here in
                let task = loader.imageTask(for: request)
                defer { here.note() }
                await task.end()
            },
        ]

    private static let stores = [
        Row(
            "ImageLoader.store(_: DecodedImage, for: ImageRequest, in: CacheTiers)",
            { try storing(Pictures.gradient(8, 6), .value) },
            { try storing(Pictures.gradient(8, 6), .value, cancelled: .beforeTheCall) },
            {
                try storing(Pictures.gradient(8, 6), .error) { $0.targetSize = PixelSize(width: 4, height: 4) }
            }),
        Row(
            "ImageLoader.store(_: Data, for: ImageRequest, in: CacheTiers?)",
            { try storing(Pictures.png(), .value) },
            { try storing(Data(), .error) },
            { try storing(Data("no picture".utf8), .error) },
            { try storing(Pictures.png().dropLast(30), .error) },
            { try storing(Pictures.png(), .cancelled, cancelled: .beforeTheCall) }),
        Row(
            "ImageLoader.store(_: DecodedImage, data: Data, for: ImageRequest, in: CacheTiers?)",
            { try storing(Pictures.gradient(8, 6), with: Pictures.png(), .value) },
            { try storing(Pictures.gradient(8, 6), with: Pictures.png(), .value, cancelled: .beforeTheCall) },
            { try storing(Pictures.gradient(8, 6), with: Data(), .error) },
            { try storing(Pictures.gradient(8, 6), with: Data("no picture".utf8), .error) }),
    ]

    private static let storesAtURLs = [
        atURL("ImageLoader.store(_: DecodedImage, for: URL, in: CacheTiers)") { stage, isValid, here in
            let image = DecodedImage(bitmap: try Pictures.gradient(8, 6))
            defer { here.note() }
            try await stage.loader.store(image, for: stage.url, in: isValid ? .all : [])
        },
        atURL("ImageLoader.store(_: Data, for: URL, in: CacheTiers?)") { stage, isValid, here in
            defer { here.note() }
            try await stage.loader.store(isValid ? stage.png : Data(), for: stage.url)
        },
        atURL("ImageLoader.store(_: DecodedImage, data: Data, for: URL, in: CacheTiers?)") { stage, isValid, here in
            let image = DecodedImage(bitmap: try Pictures.gradient(8, 6))
            defer { here.note() }
            try await stage.loader.store(image, data: isValid ? stage.png : Data(), for: stage.url)
        },
    ]

    private static func atURL(
        _ name: String, _ store: @escaping @Sendable (LoaderStage, _ isValid: Bool, Resumption) async throws -> Void
    ) -> Row {
        Row(
            name,
            {
                let stage = try LoaderStage()
                return Scenario(.value) { try await store(stage, true, $0) }
            },
            {
                let stage = try LoaderStage()
                return Scenario(.error) { try await store(stage, false, $0) }
            })
    }

    private static func storing(
        _ bitmap: Bitmap, _ end: Scenario.End, cancelled: Scenario.Cancellation = .never,
        change: (inout ImageRequest) -> Void = { _ in }
    ) throws -> Scenario {
        let stage = try LoaderStage()
        let image = DecodedImage(bitmap: bitmap)
        var changed = stage.request
        change(&changed)
        // A closure with a capture list wouldn't have its caller's isolation.
        let request = changed
        return Scenario(end, cancelled: cancelled) { here in
            defer { here.note() }
            try await stage.loader.store(image, for: request, in: .all)
        }
    }

    private static func storing(
        _ bitmap: Bitmap, with data: Data, _ end: Scenario.End, cancelled: Scenario.Cancellation = .never
    ) throws -> Scenario {
        let stage = try LoaderStage()
        let image = DecodedImage(bitmap: bitmap)
        return Scenario(end, cancelled: cancelled) { here in
            defer { here.note() }
            try await stage.loader.store(image, data: data, for: stage.request)
        }
    }

    private static func storing(
        _ data: Data, _ end: Scenario.End, cancelled: Scenario.Cancellation = .never
    ) throws -> Scenario {
        let stage = try LoaderStage()
        return Scenario(end, cancelled: cancelled) { here in
            defer { here.note() }
            try await stage.loader.store(data, for: stage.request)
        }
    }
}
#endif
