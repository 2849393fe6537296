package import Foundation
import Synchronization

/// Limits how many images are decoded at a time, and their total size.
///
/// Small images are decoded on the calling Task's thread, others on threads outside the cooperative pool. Among waiting
/// decodes, the most urgent goes first.
package final class DecodeGate: Sendable {
    let decoders: ImageDecoders
    let limits: DecodeLimits
    private let oversized: DecodeSettings.Oversized
    private let damaged: DecodeRequest.Damaged
    private let convertsToSRGB: Bool
    let workers: WorkerThreads
    let durations = Mutex(DecodeStatistics())
    private let time: TimeSource
    private let permits: Permits
    /// The permits for processors that wait, so that these don't hold up other work.
    let waiting: Permits

    private let memory: ProcessMemory
    /// Whether the permits already reflect the process's memory limit.
    private let knowsMemory = Atomic(false)

    package init(_ settings: DecodeSettings, time: TimeSource = TimeSource(), memory: ProcessMemory = .shared) {
        decoders = settings.decoders
        limits = settings.limits
        oversized = settings.oversized
        damaged = settings.damaged
        convertsToSRGB = settings.convertsToSRGB
        self.time = time
        self.memory = memory
        workers = WorkerThreads("decode", count: settings.maximumConcurrentDecodes)
        let weightLimit = settings.limits.bitmapBytes.multiplied(by: 2)
        permits = Permits(count: settings.maximumConcurrentDecodes, bytes: weightLimit)
        waiting = Permits(count: settings.maximumWaitingProcessors, bytes: weightLimit)
    }

    /// The amounts of waiting and running work, and the priority of the next work.
    var counts: (waiting: Int, running: Int, next: RequestPriority?) { permits.counts }

    /// Decodes `data` as the requested variant, without its processors.
    ///
    /// If the Task is cancelled while it waits for its turn, this throws immediately; during decoding, it throws as
    /// soon as the decoder notices. Never runs on the caller's actor.
    ///
    /// - Parameters:
    ///   - decoder: The decoder; nil for the first one that recognizes the bytes.
    ///   - control: Provides the priority, even while waiting; nil means normal priority.
    package func decode(
        _ data: Data, by decoder: (any ImageDecoding)? = nil, as variant: ImageVariant = ImageVariant(),
        _ control: LoadControl? = nil
    ) async throws(ImageLoaderError) -> DecodedImage { try await outcome(of: data, decoder, variant, control).get() }

    /// Returns a `Result` instead of throwing; see Docs/Decisions/0017.
    @concurrent private func outcome(
        of data: Data, _ decoder: (any ImageDecoding)?, _ variant: ImageVariant, _ control: LoadControl?
    ) async -> Result<DecodedImage, ImageLoaderError> {
        do throws(ImageLoaderError) {
            return .success(try await image(of: data, decoder, variant, control))
        } catch {
            return .failure(error)
        }
    }

    /// A decode that waits for its permit.
    private struct Plan {
        let decoder: any ImageDecoding
        let header: ImageHeader
        let request: DecodeRequest
        let cost: DecodeCost
    }

    private func plan(
        _ data: Data, _ decoder: (any ImageDecoding)?, _ variant: ImageVariant
    ) async throws(ImageLoaderError) -> Plan {
        if !knowsMemory.load(ordering: .relaxed) {
            let bytes = MemoryBudget.decodeLimit(within: await memory.limit())
            permits.limit(toBytes: bytes)
            waiting.limit(toBytes: bytes)
            knowsMemory.store(true, ordering: .relaxed)
        }
        let decoder = if let decoder { decoder } else { try decoders.decoder(for: data) }
        var request = DecodeRequest(limits, variant)
        request.damaged = damaged
        request.convertsToSRGB = convertsToSRGB || variant.convertsToSRGB
        let header = try await header(of: data, by: decoder)
        if oversized == .scaledDown { request.scaleDown(header) }
        let partBytes = (decoder as? any PreviewDecoding)?.partBytes(header, request) ?? 0
        var cost = try decoder.estimatedCost(header, byteCount: data.count, request)
        cost.workingBytes = max(cost.workingBytes, partBytes)
        return Plan(decoder: decoder, header: header, request: request, cost: cost)
    }

    private func image(
        of data: Data, _ decoder: (any ImageDecoding)?, _ variant: ImageVariant, _ control: LoadControl?
    ) async throws(ImageLoaderError) -> DecodedImage {
        let plan = try await plan(data, decoder, variant)
        let asked = time.now()
        return try await permits.withPermit(bytes: plan.cost.workingBytes, control) {
            () async throws(ImageLoaderError) in
            let decode = { @Sendable [self] (data: Data) in
                measured(\.decodes, since: asked, control) { () throws(ImageLoaderError) in
                    try plan.decoder.decode(data, readBefore: plan.header, plan.request).withScale(variant.scale)
                }
            }
            if let time = plan.cost.time, time <= Self.longestHere { return try decode(data).get() }
            // The thread drops the bytes as soon as the image is decoded, so that their file can be given its name.
            let handover = Handover(data)
            return try await onThread(plan.request.cancellation) { decode(handover.take() ?? Data()) }.get()
        }
    }

    /// Runs `work` outside the cooperative pool. When the Task is cancelled, so is `cancellation`.
    private func onThread<Value: Sendable>(
        _ cancellation: DecodeCancellation, _ work: @escaping @Sendable () -> Value
    ) async -> Value {
        await withTaskCancellationHandler {
            await workers.run(work)
        } onCancel: {
            cancellation.cancel()
        }
    }

    /// Decodes and processes an image and returns the result of `finish` for it, all under one permit and on one
    /// thread. Callers that wait, or that have their result, therefore hold no pixels.
    ///
    /// If a processor waits, the pixels have a permit of ``waiting`` instead, so that other work can continue.
    ///
    /// - Parameters:
    ///   - decoder: The decoder; nil for the first one that recognizes the bytes.
    ///   - source: See ``ProcessingContext/source``.
    ///   - copies: The number of bitmaps of the image's size that `finish` holds, including the image.
    ///   - finish: Called on a thread outside the cooperative pool.
    /// - Throws: The errors of ``decode(_:by:as:_:)`` and of processors.
    @concurrent package func result<Value: Sendable>(
        of data: Data, by decoder: (any ImageDecoding)? = nil, from source: String? = nil, as variant: ImageVariant,
        _ control: LoadControl? = nil, copies: Int,
        _ finish: @escaping @Sendable (DecodedImage, DecodeCancellation) -> Value
    ) async -> Result<Value, ImageLoaderError> {
        do throws(ImageLoaderError) {
            let plan = try await plan(data, decoder, variant)
            let upright = plan.header.uprightSize
            let decoded = plan.request.target?.plan(for: upright).part ?? upright
            let (bytes, last) = variant.processing?.workingBytes(of: decoded) ?? (0, decoded)
            let finishBytes = last.byteCount.multiplied(by: copies)
            let weight = max(plan.cost.workingBytes, bytes, finishBytes)
            let cancellation = plan.request.cancellation
            if let chain = variant.processing, chain.waits {
                return try await waiting.withPermit(bytes: weight, control) { () async throws(ImageLoaderError) in
                    let decoded = try await image(of: data, decoder, variant, control)
                    let image = try await made(of: decoded, from: source, by: chain, control)
                    let asked = time.now()
                    return try await permits.withPermit(bytes: finishBytes, control) {
                        await onThread(cancellation) { [self] in
                            measured(\.encodes, since: asked, control) { finish(image, cancellation) }
                        }
                    }
                }
            }
            let (asked, handover) = (time.now(), Handover(data))
            return try await permits.withPermit(bytes: weight, control) {
                await onThread(cancellation) { [self] in
                    measured(\.encodes, since: asked, control) { () throws(ImageLoaderError) in
                        var image = try plan.decoder.decode(
                            handover.take() ?? Data(), readBefore: plan.header, plan.request)
                        if let chain = variant.processing {
                            image = try chain.image(of: image, from: source, limits, cancellation, with: idleThreads)
                        }
                        try cancellation.check()
                        return finish(image, cancellation)
                    }
                }
            }
        } catch {
            return .failure(error)
        }
    }

    /// Returns the result of a chain's last processor for `image`.
    ///
    /// If the Task is cancelled while it waits for its turn, this throws immediately; during processing, it throws as
    /// soon as the processor notices.
    @concurrent func process(
        _ image: DecodedImage, from source: String?, _ chain: ProcessingChain, _ control: LoadControl?
    ) async -> Result<DecodedImage, ImageLoaderError> {
        do throws(ImageLoaderError) {
            if !chain.lastWaits { return .success(try await last(of: chain, image, from: source, control)) }
            let asked = time.now()
            return .success(
                try await waiting.withPermit(bytes: chain.workingBytes(last: image.size), control) {
                    () async throws(ImageLoaderError) in
                    try await lastWaiting(of: chain, image, from: source, control, since: asked)
                })
        } catch {
            return .failure(error)
        }
    }

    /// Returns the result of a chain for `image`. The caller has a permit of ``waiting``.
    private func made(
        of image: DecodedImage, from source: String?, by chain: ProcessingChain, _ control: LoadControl?
    ) async throws(ImageLoaderError) -> DecodedImage {
        var input = image
        if let before = chain.input { input = try await made(of: image, from: source, by: before, control) }
        return chain.lastWaits
            ? try await lastWaiting(of: chain, input, from: source, control, since: time.now())
            : try await last(of: chain, input, from: source, control)
    }

    private func last(
        of chain: ProcessingChain, _ image: DecodedImage, from source: String?, _ control: LoadControl?
    ) async throws(ImageLoaderError) -> DecodedImage {
        let (asked, cancellation) = (time.now(), DecodeCancellation())
        return try await permits.withPermit(bytes: chain.workingBytes(last: image.size), control) {
            () async throws(ImageLoaderError) in
            try await onThread(cancellation) { [self] in
                measured(\.processes, since: asked, control) { () throws(ImageLoaderError) in
                    try chain.last(of: image, from: source, limits, cancellation, with: idleThreads)
                }
            }.get()
        }
    }

    private func lastWaiting(
        of chain: ProcessingChain, _ image: DecodedImage, from source: String?, _ control: LoadControl?,
        since asked: Duration
    ) async throws(ImageLoaderError) -> DecodedImage {
        let (start, cancellation) = (time.now(), DecodeCancellation())
        let made = await withTaskCancellationHandler {
            await chain.lastWaiting(of: image, from: source, limits, cancellation)
        } onCancel: {
            cancellation.cancel()
        }
        return try measured(\.processes, since: asked, control, from: start) { () throws(ImageLoaderError) in
            try made.get()
        }.get()
    }

    /// Runs `work` for a load that asked for its turn at `asked`. Adds the duration to the load's time and, on success,
    /// to the statistics.
    ///
    /// - Parameter start: When the work began; nil for now.
    private func measured<Value>(
        _ kind: WritableKeyPath<DecodeStatistics, DurationHistogram>, since asked: Duration, _ control: LoadControl?,
        from start: Duration? = nil, _ work: () throws(ImageLoaderError) -> Value
    ) -> Result<Value, ImageLoaderError> {
        let start = start ?? time.now()
        let result = Result(catching: work)
        guard let control else { return result }
        let duration = time.now() - start
        control.addMakingTime(duration)
        if case .success = result {
            durations.withLock {
                $0.waits.record(start - asked)
                $0[keyPath: kind].record(duration)
            }
        }
        return result
    }

    /// Decodes that are expected to take longer than this run on a thread outside the cooperative pool. Switching
    /// threads costs 20 to 30 µs.
    private static let longestHere = Duration.microseconds(150)

    /// Runs `work` and returns its result if a permit is free; returns nil immediately otherwise.
    ///
    /// `work` is cancelled when a decode arrives that would have to wait, and when the Task is cancelled.
    func whenIdle<Value: Sendable>(_ work: @escaping @Sendable (DecodeCancellation) -> Value) async -> Value? {
        let cancellation = DecodeCancellation()
        guard let id = permits.ifFree(cancellation) else { return nil }
        defer { permits.giveBack(id) }
        return await onThread(cancellation) { work(cancellation) }
    }

    /// The gate's threads that no decode uses or waits for.
    var idleThreads: IdleThreads {
        IdleThreads(count: workers.count - 1) { [self] work in
            guard let id = permits.ifFree() else { return false }
            workers.submit { [permits] in
                work { permits.counts.waiting > 0 }
                permits.giveBack(id)
            }
            return true
        }
    }

    /// Reads the header on the calling Task's thread if the file is small. Searching a large file would block a thread
    /// of the cooperative pool.
    func header(of data: Data, by decoder: any ImageDecoding) async throws(ImageLoaderError) -> ImageHeader {
        if data.count <= Self.quickHeaderBytes { return try decoder.header(of: data, limits: limits) }
        return try await workers.run { [limits] in
            Result { () throws(ImageLoaderError) in try decoder.header(of: data, limits: limits) }
        }.get()
    }

    private static let quickHeaderBytes = 256 << 10

    /// Waits until no decoding or processing is in progress.
    func settle() async {
        await permits.settle()
        await waiting.settle()
    }
}

extension ImageDecoding {
    /// Decodes `data` like ``decode(_:_:)``, for a caller that has already read the header.
    fileprivate func decode(
        _ data: Data, readBefore header: ImageHeader, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> DecodedImage {
        guard let decoder = self as? any StoredImageDecoding else { return try decode(data, request) }
        return try decoder.decode(data, header, request)
    }
}

extension DecodeRequest {
    fileprivate init(_ limits: DecodeLimits, _ variant: ImageVariant) {
        self.init(limits: limits, target: variant.target)
        frames = variant.frames
        keepsMetadata = variant.keepsMetadata
    }

    /// Sets a target size for an image whose bitmap would exceed the limit, unless the request has one.
    fileprivate mutating func scaleDown(_ header: ImageHeader) {
        let whole = appliesOrientation ? header.uprightSize : header.size
        // Both sides are within their limit, so there is no overflow.
        let (bytes, allowed) = (4 * whole.width * whole.height, limits.bitmapBytes)
        guard target == nil, bytes > allowed else { return }
        let factor = (Double(allowed) / Double(bytes)).squareRoot()
        // If the other side is rounded up to 1, less is left for this one.
        func scaled(_ side: Int, beside other: Int) -> Int {
            let least = max(1, Int(Double(other) * factor))
            return max(1, min(Int(Double(side) * factor), allowed / 4 / least))
        }
        target = DecodeTarget(
            PixelSize(
                width: scaled(whole.width, beside: whole.height), height: scaled(whole.height, beside: whole.width)))
        // A decoder may need the whole image temporarily.
        limits.bitmapBytes = bytes
    }
}
