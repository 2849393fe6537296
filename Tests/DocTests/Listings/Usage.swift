// region: three-lines
import Alcedo
// endregion
import AlcedoTestSupport
import Foundation

/// The listings of the documentation, one function for each.
enum Usage {
    static func threeLines(_ url: URL) async throws -> DecodedImage {
        // region: three-lines
        // region: two-lines
        let loader = ImageLoader()
        let image = try await loader.image(for: url)
        // endregion
        // endregion
        return image
    }

    static func response(_ url: URL, with loader: ImageLoader) async throws -> ImageResponse {
        // region: response
        let request = ImageRequest(url: url)
        let response = try await loader.response(for: request)
        print(response.image.size)  // 640 × 480
        print(response.source)  // memory, disk, network or local
        print(response.timings.total, response.timings.decode ?? .zero)
        // endregion
        return response
    }

    static func memoryHit(
        _ request: ImageRequest, with loader: ImageLoader, show: (DecodedImage) -> Void
    ) async throws {
        // region: memory-hit
        if let image = loader.cachedImage(for: request) {
            show(image)
        } else {
            show(try await loader.image(for: request))
        }
        // endregion
    }

    static func cancelling(_ url: URL, with loader: ImageLoader, show: (DecodedImage) -> Void) async throws {
        // region: cancelling
        let load = Task { try await loader.image(for: url) }
        load.cancel()
        do {
            show(try await load.value)
        } catch ImageLoaderError.cancelled {
            // The image isn't wanted any more.
        }
        // endregion
    }

    static func errors(
        _ url: URL, with loader: ImageLoader, show: (DecodedImage) -> Void, showPlaceholder: () -> Void,
        log: (String) -> Void
    ) async {
        // region: errors
        do throws(ImageLoaderError) {
            show(try await loader.image(for: url))
        } catch {
            switch error {
            case .cancelled: break
            case .badStatus(404): showPlaceholder()
            case .limitExceeded(let limit, let value, let allowed):
                log("\(limit): \(value), allowed are \(allowed)")
            default: log("\(error)")
            }
        }
        // endregion
    }

    static func oneError(
        _ request: ImageRequest, with loader: ImageLoader, show: (DecodedImage) -> Void, showPlaceholder: () -> Void
    ) async throws {
        // region: one-error
        do {
            show(try await loader.image(for: request))
        } catch ImageLoaderError.notCached {
            showPlaceholder()
        } catch {
            throw error  // Without this clause, the compiler of Swift 6.3 may crash.
        }
        // endregion
    }

    static func targetSize(_ url: URL, with loader: ImageLoader) async throws -> DecodedImage {
        // region: target-size
        var request = ImageRequest(url: url)
        request.targetSize = PixelSize(width: 400, height: 400)
        request.contentMode = .crop
        let thumbnail = try await loader.image(for: request)
        // endregion
        return thumbnail
    }

    static func saving(_ request: ImageRequest, to file: URL, with loader: ImageLoader) async throws {
        // region: save-file
        let encoder = JPEGEncoder(quality: 80)
        let image = try await loader.encoded(for: request, as: encoder)
        try image.data.write(to: file)
        // endregion
    }

    static func firstErrors(
        _ url: URL, with loader: ImageLoader, show: (DecodedImage) -> Void, showPlaceholder: () -> Void,
        log: (String) -> Void
    ) async {
        // region: first-errors
        do throws(ImageLoaderError) {
            show(try await loader.image(for: url))
        } catch {
            switch error {
            case .cancelled: break  // the image isn't wanted any more
            case .badStatus(404): showPlaceholder()
            default: log("\(error)")
            }
        }
        // endregion
    }

    static func spelling() throws -> ImageRequest {
        // region: urls
        let request = try ImageRequest(" HTTPS://Images.Example.org:443/a/../photo 1.jpg\n")
        // request.url is https://images.example.org/photo%201.jpg
        // endregion
        return request
    }

    static func text(_ text: String, log: (String) -> Void) -> ImageRequest? {
        // region: request-from-text
        do throws(ImageLoaderError) {
            return try ImageRequest(text)
        } catch {
            log("\(error)")  // unsupported scheme: ftp
            return nil
        }
        // endregion
    }

    static func configuration() -> ImageLoader.Configuration {
        // region: configuration
        var configuration = ImageLoader.Configuration()
        configuration.memory.maximumBytes = 64 << 20  // bytes of decoded images
        configuration.disk?.maximumBytes = 1 << 30  // bytes of files
        configuration.download.maximumConcurrentDownloads = 4  // downloads at once
        configuration.download.idleTimeout = .seconds(30)
        configuration.download.headers["Accept"] = "image/jpeg, image/png"
        configuration.decode.limits.pixels = 50_000_000
        let loader = ImageLoader(configuration)
        // endregion
        _ = loader
        return configuration
    }

    static func events(
        _ configuration: ImageLoader.Configuration, log: @escaping @Sendable (String) -> Void
    ) -> ImageLoader {
        var configuration = configuration
        // region: events
        configuration.onEvent { event in
            switch event.kind {
            case .ended(let stage, let end):
                log("\(event.url?.path ?? ""): \(stage) took \(end.duration)")
            case .cacheFailed(let failure):
                log("warning: \(failure)")
            default: break
            }
        }
        let loader = ImageLoader(configuration)
        // endregion
        return loader
    }

    static func removal(_ request: ImageRequest, with loader: ImageLoader) async {
        // region: removal
        await loader.remove(request)  // one image, from memory and disk
        await loader.removeAll()  // all of them
        // endregion
    }

    static func ending(_ loader: ImageLoader) async {
        // region: flush
        await loader.flush()
        // endregion
    }

    static func bytes(_ request: ImageRequest, with loader: ImageLoader) async throws -> Data {
        // region: bytes
        let bytes = try await loader.data(for: request)
        // endregion
        return bytes
    }

    static func encoding(_ image: DecodedImage) throws -> (png: Data, jpeg: Data) {
        // region: encoding
        let png = try PNGEncoder().encode(image)
        let jpeg = try JPEGEncoder(quality: 80).encode(image)
        // endregion
        return (png, jpeg)
    }

    static func choosing(_ image: DecodedImage) async throws -> (file: Data, small: Data) {
        // region: choosing
        let file = try await AutomaticEncoder().encode(image)
        let small = try JPEGEncoder(quality: 90).encode(image, atMost: 100_000)
        // endregion
        return (file, small)
    }

    // ImageIO writes no animated PNG.
    #if os(Linux) && PNG
    static func animating(_ image: DecodedImage, _ on: Bitmap, _ off: Bitmap) async throws -> [Data] {
        var files: [Data] = []
        // region: animating
        if let animation = image.animation {
            let gif = try await GIFEncoder().encode(animation)
            // endregion
            files.append(gif)
            // region: animating
        }
        let blinking = try PNGEncoder().encode(
            [
                AnimationFrame(on, delay: .milliseconds(500)),
                AnimationFrame(off, delay: .milliseconds(500)),
            ],
            loopCount: .times(3))
        // endregion
        return files + [blinking]
    }
    #endif

    static func drawing() throws -> Bitmap {
        // region: drawing
        var builder = try BitmapBuilder(size: PixelSize(width: 2, height: 1))
        builder.withBytes { bytes in
            let red = SIMD4<UInt8>(255, 0, 0, 255)  // red, green, blue, alpha
            bytes.storeBytes(of: red, toByteOffset: 0, as: SIMD4<UInt8>.self)
        }
        let bitmap = builder.freeze()
        // endregion
        return bitmap
    }

    static func scripted(_ png: Data) -> ImageLoader {
        // region: scripted
        var configuration = ImageLoader.Configuration()
        configuration.disk = nil
        configuration.dataLoader = ScriptedDataLoader { _ in .bytes(png) }
        let loader = ImageLoader(configuration)
        // endregion
        return loader
    }

    static func cancelledCall(_ url: URL) async throws {
        // region: test kit
        let transport = ScriptedDataLoader()
        var configuration = ImageLoader.Configuration()
        configuration.disk = nil
        configuration.dataLoader = transport
        let loader = ImageLoader(configuration)

        let load = Task { try await loader.image(for: url) }
        let call = try await transport.nextCall()
        load.cancel()
        try await call.cancelled()
        // endregion
    }
}
