import Alcedo
import Foundation

/// Loads and saves single images for `alcedo load`.
struct LoadSession: Sendable {
    /// The retained result of a load. It excludes the image, because hundreds of images would fill the memory.
    struct Outcome: Sendable {
        let index: Int
        var report: LoadReport
        /// The image's thumbnail, if a sheet was requested.
        var thumbnail: Bitmap?
        var isCancelled = false
    }

    /// A loaded image, and the file to save if one was requested.
    private struct Loaded {
        let report: LoadReport
        /// Nil if the file is saved as received and nothing else needs the image.
        let image: DecodedImage?
        var file: (bytes: Data, format: ImageFormat?)?
        /// The head of the response that the file was made from.
        var head: ResponseHead?
    }

    let options: LoadOptions
    let loader: ImageLoader
    let threads: WorkerThreads
    /// The names that servers may choose; nil to name files after their URLs.
    var names: RemoteNames?

    func load(_ item: LoadItem) async -> Outcome {
        do throws(ImageLoaderError) {
            let loaded = try await load(try item.request.get(), named: item.text)
            let cancellation = DecodeCancellation()
            let outcome = await withTaskCancellationHandler {
                await threads.run {
                    Result { () throws(ImageLoaderError) in
                        // Nothing more is written after Ctrl-C.
                        try cancellation.check()
                        return try finish(loaded, item)
                    }
                }
            } onCancel: {
                cancellation.cancel()
            }
            return try outcome.get()
        } catch {
            let isCancelled = error == .cancelled && Task.isCancelled
            return Outcome(index: item.index, report: LoadReport(item.text, error), isCancelled: isCancelled)
        }
    }

    /// Saves the file and makes the thumbnail, if they were requested.
    private func finish(_ loaded: Loaded, _ item: LoadItem) throws(ImageLoaderError) -> Outcome {
        var outcome = Outcome(index: item.index, report: loaded.report)
        if let file = loaded.file {
            let name = names?.name(for: loaded.head, planned: item.name) ?? item.name
            outcome.report.save(file.bytes, as: name.name(file.format), in: options)
        }
        if options.sheetFile != nil, let image = loaded.image {
            outcome.thumbnail = try ContactSheet().thumbnail(of: image)
        }
        return outcome
    }

    private func load(_ request: ImageRequest, named text: String) async throws(ImageLoaderError) -> Loaded {
        if options.outputDirectory != nil { return try await loadFile(request, named: text) }
        var request = request
        setSize(of: &request)
        let response = try await loader.response(for: request)
        let report = report(text, response.image, response.source, response.timings.total)
        return Loaded(report: report, image: response.image)
    }

    /// Loads the bytes, and decodes them only if necessary. An image can then be saved as received without a second
    /// request, even if it isn't cached.
    private func loadFile(_ request: ImageRequest, named text: String) async throws(ImageLoaderError) -> Loaded {
        let start = ContinuousClock.now
        let response = try await loader.dataResponse(for: request)
        if response.data.isEmpty { throw .emptyBody }
        if options.sheetFile == nil, !options.reducesImages, options.format == nil {
            let (format, size) = try await threads.run { Self.described(response.data) }.get()
            let report = LoadReport(text, format, size, response.source, ContinuousClock.now - start)
            return Loaded(report: report, image: nil, file: (response.data, format), head: response.head)
        }
        var decoding = ImageRequest(data: response.data, id: text)
        setSize(of: &decoding)
        decoding.keepsMetadata = ![nil, .strip].contains(options.encoding.metadata)
        if !options.reducesImages, options.format == nil { decoding.frames = .first }
        (decoding.readPolicy, decoding.writePolicy) = (.reload, .nothing)
        let image = try await loader.image(for: decoding)
        let report = report(text, image, response.source, ContinuousClock.now - start)
        let bytes = isSavedAsReceived(image) ? response.data : try await encode(image)
        return Loaded(
            report: report, image: image, file: (bytes, ImageFormat(sniffing: bytes)), head: response.head)
    }

    private func setSize(of request: inout ImageRequest) {
        request.targetSize = decodedSize
        request.region = options.region
        guard let crop = options.crop else { return }
        (request.contentMode, request.cropAnchor) = (.crop, crop)
    }

    /// The size that images are scaled down to while they are decoded. A sheet needs nothing larger than its cells.
    private var decodedSize: PixelSize? {
        if let size = options.size { return size }
        let isConverted = options.format != nil || options.region != nil
        return options.sheetFile == nil || isConverted ? nil : ContactSheet().cell
    }

    /// Reports the size that the options ask for, even if the image was decoded smaller.
    private func report(
        _ text: String, _ image: DecodedImage, _ source: ImageSource, _ time: Duration
    ) -> LoadReport {
        LoadReport(text, image.format, options.reducesImages ? image.size : image.originalSize, source, time)
    }

    /// Whether the image already is as the options require. `--format` alone encodes each image.
    private func isSavedAsReceived(_ image: DecodedImage) -> Bool {
        if options.encoding.isGiven { return false }
        if options.region != nil { return false }
        guard options.size != nil else { return options.format == nil }
        return image.size == image.originalSize && [nil, image.format?.rawValue].contains(options.format)
    }

    /// The format and size of a file, which may be damaged or too large to be decoded. It is an error if the file isn't
    /// an image at all.
    private static func described(_ data: Data) -> Result<(ImageFormat, PixelSize?), ImageLoaderError> {
        var limits = DecodeLimits()
        (limits.side, limits.pixels, limits.metadataBytes) = (.max, .max, .max)
        (limits.frames, limits.animationPixels) = (.max, .max)
        do throws(ImageLoaderError) {
            let header = try ImageDecoders.builtIn.header(of: data, limits: limits)
            return .success((header.format, header.uprightSize))
        } catch {
            return ImageFormat(sniffing: data).map { .success(($0, nil)) } ?? .failure(error)
        }
    }

    /// Encodes an image in the requested format, or else in its own, or else in one that suits its content.
    private func encode(_ image: DecodedImage) async throws(ImageLoaderError) -> Data {
        let name = options.format ?? image.format?.rawValue
        if let name, let format = PictureFormat.named(name, options.encoding) {
            return try await format.encode(image, options.encoding.metadata)
        }
        var automatic = AutomaticEncoder()
        automatic.metadata = options.encoding.metadata
        return try await automatic.encode(image)
    }
}

extension LoadReport {
    fileprivate mutating func save(_ bytes: Data, as name: String, in options: LoadOptions) {
        guard let path = options.outputDirectory else { return }
        let folder = OutputFolder(path: path, overwrites: options.overwrites)
        do throws(OutputFolder.Failure) {
            try folder.save(bytes, as: name)
            file = folder.path(of: name)
        } catch {
            fail(toSave: folder.path(of: name), options.usesRemoteNames ? error.cause : error.reason)
        }
    }
}
