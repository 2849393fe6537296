#if canImport(ImageIO) || os(Linux) && JPEG && PNG
import Alcedo
import AlcedoTestSupport
import Foundation

/// What programs do with the caches and the downloads of a loader.
enum CacheRows {
    static let all =
        stores + [
            plain("ImageLoader.remove(_: ImageRequest)") { loader, request, here in
                defer { here.note() }
                await loader.remove(request)
            },
            plain("ImageLoader.remove(_: CacheSelection)") { loader, _, here in
                defer { here.note() }
                await loader.remove(.prefix("http://host.test/"))
            },
            plain("ImageLoader.removeAll()") { loader, _, here in
                defer { here.note() }
                await loader.removeAll()
            },
            plain("ImageLoader.removeFromMemory(_: MemorySelection)") { loader, _, here in
                defer { here.note() }
                await loader.removeFromMemory(.all)
            },
            plain("ImageLoader.trimMemory(toFraction: Double)") { loader, _, here in
                defer { here.note() }
                await loader.trimMemory(toFraction: 0)
            },
            plain("ImageLoader.trimMemory(toCost: Int)") { loader, _, here in
                defer { here.note() }
                await loader.trimMemory(toCost: 0)
            },
            plain("ImageLoader.changeMemory(_: MemoryCache.Settings)") { loader, _, here in
                defer { here.note() }
                await loader.changeMemory(.init())
            },
            plain("ImageLoader.flush()") { loader, _, here in
                defer { here.note() }
                await loader.flush()
            },
            plain("ImageLoader.diskStatistics") { loader, _, here in
                defer { here.note() }
                _ = await loader.diskStatistics
            },
            plain("ImageLoader.contains(_: ImageRequest, in: CacheTiers)") { loader, request, here in
                defer { here.note() }
                _ = await loader.contains(request, in: .disk)
            },
            plain("ImageLoader.diskEntry(for: ImageRequest)") { loader, request, here in
                defer { here.note() }
                _ = await loader.diskEntry(for: request)
            },
            plain("ImageLoader.diskEntries(includingExpired: Bool)") { loader, _, here in
                defer { here.note() }
                _ = await loader.diskEntries()
            },
            plain("ImageLoader.removeFromDisk(_: DiskSelection)") { loader, _, here in
                defer { here.note() }
                await loader.removeFromDisk(.prefix("http://host.test/"))
            },
            plain("ImageLoader.trimDisk(toBytes: Int)") { loader, _, here in
                defer { here.note() }
                await loader.trimDisk(toBytes: 0)
            },
            plain("ImageLoader.verifyDisk()") { loader, _, here in
                defer { here.note() }
                _ = await loader.verifyDisk()
            },
            plain("ImageLoader.pauseDownloads()") { loader, _, here in
                defer { here.note() }
                await loader.pauseDownloads()
            },
            plain("ImageLoader.resumeDownloads()") { loader, _, here in
                defer { here.note() }
                await loader.resumeDownloads()
            },
            plain("ImageLoader.setDownloadWidth(_: Int?, forHostOf: URL)") { loader, request, here in
                guard let url = request.url else { return }
                defer { here.note() }
                await loader.setDownloadWidth(1, forHostOf: url)
            },
            plain("ImageLoader.downloadStatistics") { loader, _, here in
                defer { here.note() }
                _ = await loader.downloadStatistics
            },
            plain("ImageLoader.forgetFailure(of: ImageRequest)") { loader, request, here in
                defer { here.note() }
                await loader.forgetFailure(of: request)
            },
            plain("ImageLoader.forgetFailures()") { loader, _, here in
                defer { here.note() }
                await loader.forgetFailures()
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
            { try storing(Pictures.png().dropLast(20), .error) },
            { try storing(Pictures.png(), .cancelled, cancelled: .beforeTheCall) }),
        Row(
            "ImageLoader.store(_: DecodedImage, data: Data, for: ImageRequest, in: CacheTiers?)",
            { try storing(Pictures.gradient(8, 6), with: Pictures.png(), .value) },
            { try storing(Pictures.gradient(8, 6), with: Pictures.png(), .value, cancelled: .beforeTheCall) },
            { try storing(Pictures.gradient(8, 6), with: Data(), .error) },
            { try storing(Pictures.gradient(8, 6), with: Data("no picture".utf8), .error) }),
    ]

    private static func storing(
        _ bitmap: Bitmap, _ end: Scenario.End, cancelled: Scenario.Cancellation = .never,
        change: (inout ImageRequest) -> Void = { _ in }
    ) throws -> Scenario {
        let stage = try LoaderStage()
        let image = DecodedImage(bitmap: bitmap)
        var changed = stage.request
        change(&changed)
        // A closure with a capture list would not have its caller's isolation.
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

    /// A function without errors, which a cancellation doesn't end.
    private static func plain(
        _ name: String, _ use: @escaping @Sendable (ImageLoader, ImageRequest, Resumption) async -> Void
    ) -> Row {
        let make: @Sendable (Scenario.Cancellation) async throws -> Scenario = { cancelled in
            let stage = try LoaderStage()
            try await stage.loader.store(stage.png, for: stage.request)
            return Scenario(.value, cancelled: cancelled) { await use(stage.loader, stage.request, $0) }
        }
        return Row(name, { try await make(.never) }, { try await make(.beforeTheCall) })
    }
}
#endif
