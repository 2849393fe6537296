package import Foundation
import Synchronization

/// Limits how many images are decoded at a time, and their total size.
///
/// Small images are decoded where the caller's Task runs, others on threads outside the cooperative pool. Among waiting
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
    private let state: Mutex<State>

    private struct State {
        var permits: SlotQueue<UInt64>
        var waiters: [UInt64: Promise<Bool>] = [:]
        /// Cancels work that runs only while no decode waits.
        var guests: [UInt64: DecodeCancellation] = [:]
        /// Callers that wait until no work has a permit.
        var settlers: [Promise<Void>] = []
        private var lastID: UInt64 = 0

        init(_ permits: SlotQueue<UInt64>) { self.permits = permits }

        mutating func makeID() -> UInt64 {
            lastID += 1
            return lastID
        }

        mutating func take(_ granted: [UInt64]) -> [Promise<Bool>] {
            granted.compactMap { waiters.removeValue(forKey: $0) }
        }
    }

    package init(_ settings: DecodeSettings, time: TimeSource = TimeSource()) {
        decoders = settings.decoders
        limits = settings.limits
        oversized = settings.oversized
        damaged = settings.damaged
        convertsToSRGB = settings.convertsToSRGB
        self.time = time
        workers = WorkerThreads("decode", count: settings.maximumConcurrentDecodes)
        let weightLimit = settings.limits.bitmapBytes.multiplied(by: 2)
        state = Mutex(State(SlotQueue(width: settings.maximumConcurrentDecodes, weightLimit: weightLimit)))
    }

    /// The number of waiting decodes, and the priority of the next one; for tests.
    var line: (count: Int, next: RequestPriority?) {
        state.withLock { ($0.permits.waitingCount, $0.permits.nextPriority) }
    }

    /// The work that waits for a permit, and the work that has one.
    var counts: (waiting: Int, running: Int) {
        state.withLock { ($0.permits.waitingCount, $0.permits.running.count) }
    }

    /// Decodes `data` to the requested variant, less its processors.
    ///
    /// A Task cancelled while it waits for its turn throws immediately; one that is decoding throws as soon as the
    /// decoder notices. Never runs on the caller's actor.
    ///
    /// - Parameter control: provides the priority, also while waiting; nil means normal.
    package func decode(
        _ data: Data, as variant: ImageVariant = ImageVariant(), _ control: LoadControl? = nil
    ) async throws(ImageLoaderError) -> DecodedImage { try await outcome(of: data, variant, control).get() }

    /// Returns a `Result` instead of throwing; see Docs/Decisions/0017.
    @concurrent private func outcome(
        of data: Data, _ variant: ImageVariant, _ control: LoadControl?
    ) async -> Result<DecodedImage, ImageLoaderError> {
        do throws(ImageLoaderError) {
            return .success(try await image(of: data, variant, control))
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

    private func plan(_ data: Data, _ variant: ImageVariant) async throws(ImageLoaderError) -> Plan {
        let decoder = try decoders.decoder(for: data)
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
        of data: Data, _ variant: ImageVariant, _ control: LoadControl?
    ) async throws(ImageLoaderError) -> DecodedImage {
        let plan = try await plan(data, variant)
        let asked = time.now()
        guard let id = await permit(bytes: plan.cost.workingBytes, control) else { throw .cancelled }
        defer { giveBack(id) }
        let decode = { @Sendable [self] (data: Data) in
            measured(\.decodes, since: asked, control) { () throws(ImageLoaderError) in
                try plan.decoder.decode(data, readBefore: plan.header, plan.request).withScale(variant.scale)
            }
        }
        if let time = plan.cost.time, time <= Self.longestHere { return try decode(data).get() }
        // Once the image is there, the thread holds no bytes any more: their file may get its name.
        let handover = Handover(data)
        return try await withTaskCancellationHandler {
            await workers.run { decode(handover.take() ?? Data()) }
        } onCancel: { [cancellation = plan.request.cancellation] in
            cancellation.cancel()
        }.get()
    }

    /// Returns what `finish` makes of an image, which is decoded and processed before under the same permit and on the
    /// same thread. So callers that wait hold no pixels, and neither does one that has its result.
    ///
    /// - Parameters:
    ///   - source: See ``ProcessingContext/source``.
    ///   - copies: How many bitmaps of the image's size `finish` works with, the image included.
    ///   - finish: Called on a thread outside the cooperative pool.
    /// - Throws: The errors of ``decode(_:as:_:)`` and of processors.
    @concurrent package func result<Value: Sendable>(
        of data: Data, from source: String? = nil, as variant: ImageVariant, _ control: LoadControl? = nil, copies: Int,
        _ finish: @escaping @Sendable (DecodedImage, DecodeCancellation) -> Value
    ) async -> Result<Value, ImageLoaderError> {
        do throws(ImageLoaderError) {
            let plan = try await plan(data, variant)
            let upright = plan.header.uprightSize
            let decoded = plan.request.target?.plan(for: upright).part ?? upright
            let (bytes, last) = variant.processing?.workingBytes(of: decoded) ?? (0, decoded)
            let weight = max(plan.cost.workingBytes, bytes, last.byteCount.multiplied(by: copies))
            let asked = time.now()
            guard let id = await permit(bytes: weight, control) else { return .failure(.cancelled) }
            defer { giveBack(id) }
            let (cancellation, handover) = (plan.request.cancellation, Handover(data))
            return await withTaskCancellationHandler {
                await workers.run { [self] in
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
            } onCancel: {
                cancellation.cancel()
            }
        } catch {
            return .failure(error)
        }
    }

    /// The image that the last processor of a chain makes of `image`.
    ///
    /// A Task cancelled while it waits for its turn throws immediately; one that is processing throws as soon as the
    /// processor notices.
    @concurrent func process(
        _ image: DecodedImage, from source: String?, _ chain: ProcessingChain, _ control: LoadControl?
    ) async -> Result<DecodedImage, ImageLoaderError> {
        let bytes = chain.workingBytes(last: image.size)
        let asked = time.now()
        guard let id = await permit(bytes: bytes, control) else { return .failure(.cancelled) }
        defer { giveBack(id) }
        let cancellation = DecodeCancellation()
        return await withTaskCancellationHandler {
            await workers.run { [self] in
                measured(\.processes, since: asked, control) { () throws(ImageLoaderError) in
                    try chain.last(of: image, from: source, limits, cancellation, with: idleThreads)
                }
            }
        } onCancel: {
            cancellation.cancel()
        }
    }

    /// Does the work of a load, which asked for its turn at `asked`, and adds the time that it takes to the load's.
    private func measured<Value>(
        _ kind: WritableKeyPath<DecodeStatistics, DurationHistogram>, since asked: Duration, _ control: LoadControl?,
        _ work: () throws(ImageLoaderError) -> Value
    ) -> Result<Value, ImageLoaderError> {
        let start = time.now()
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

    /// A decode that takes longer than this runs on a thread outside the cooperative pool. A change of threads costs
    /// 20 to 30 µs.
    private static let longestHere = Duration.microseconds(150)

    /// Runs `work` and returns its result if a slot is free and no decode waits for one; returns nil immediately
    /// otherwise.
    ///
    /// `work` is cancelled when a decode arrives that would have to wait, and when the Task is cancelled.
    func whenIdle<Value: Sendable>(_ work: @escaping @Sendable (DecodeCancellation) -> Value) async -> Value? {
        let cancellation = DecodeCancellation()
        let turn = state.withLock { state -> (id: UInt64, isFree: Bool) in
            let id = state.makeID()
            let isFree = state.permits.request(id, priority: .veryLow)
            if isFree { state.guests[id] = cancellation }
            return (id, isFree)
        }
        defer { giveBack(turn.id) }
        guard turn.isFree else { return nil }
        return await withTaskCancellationHandler {
            await workers.run { work(cancellation) }
        } onCancel: {
            cancellation.cancel()
        }
    }

    /// The gate's threads, as far as no decode has or waits for them.
    var idleThreads: IdleThreads {
        IdleThreads(count: workers.count - 1) { [self] work in
            let (id, isFree) = state.withLock { state in
                let id = state.makeID()
                return (id, state.permits.request(id, priority: .veryLow))
            }
            guard isFree else {
                giveBack(id)
                return false
            }
            workers.submit { [self] in
                work { state.withLock { $0.permits.waitingCount > 0 } }
                giveBack(id)
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

    /// Waits for a slot and returns its id; nil when the Task was cancelled first.
    private func permit(bytes: Int, _ control: LoadControl?) async -> UInt64? {
        if Task.isCancelled { return nil }
        let priority = control?.priority ?? .normal
        let (id, promise, guests) = state.withLock { state -> (UInt64, Promise<Bool>?, [DecodeCancellation]) in
            let id = state.makeID()
            if state.permits.request(id, weight: bytes, priority: priority) { return (id, nil, []) }
            let promise = Promise<Bool>()
            state.waiters[id] = promise
            return (id, promise, Array(state.guests.values))
        }
        guard let promise else { return id }
        for guest in guests { guest.cancel() }
        control?.onChange { [weak control] in
            if let control { self.updatePriority(of: id, control) }
        }
        defer { control?.onChange(nil) }
        // It may have changed since it was read.
        if let control { updatePriority(of: id, control) }
        return await promise.value { leave(id) } ? id : nil
    }

    private func updatePriority(of id: UInt64, _ control: LoadControl) {
        let priority = control.priority
        let granted = state.withLock { $0.take($0.permits.setPriority(priority, of: id)) }
        for promise in granted { promise.end(true) }
    }

    /// A decode that already has its permit gives it back when it finishes.
    private func leave(_ id: UInt64) {
        guard let promise = state.withLock({ $0.waiters.removeValue(forKey: id) }) else { return }
        giveBack(id)
        promise.end(false)
    }

    /// Waits until nothing is decoded or processed.
    func settle() async {
        let promise = state.withLock { state -> Promise<Void>? in
            if state.permits.running.isEmpty { return nil }
            let promise = Promise<Void>()
            state.settlers.append(promise)
            return promise
        }
        await promise?.value()
    }

    private func giveBack(_ id: UInt64) {
        let (granted, settlers) = state.withLock { state -> ([Promise<Bool>], [Promise<Void>]) in
            if !state.guests.isEmpty { state.guests[id] = nil }
            let granted = state.take(state.permits.release(id))
            guard !state.settlers.isEmpty, state.permits.running.isEmpty else { return (granted, []) }
            defer { state.settlers = [] }
            return (granted, state.settlers)
        }
        for promise in granted { promise.end(true) }
        for promise in settlers { promise.end(()) }
    }
}

extension ImageDecoding {
    /// ``decode(_:_:)`` for a caller that has read the header.
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

    /// Adds a target, if there is none, to an image whose bitmap would exceed the limit.
    fileprivate mutating func scaleDown(_ header: ImageHeader) {
        let whole = appliesOrientation ? header.uprightSize : header.size
        // Both sides are within their limit, so there is no overflow.
        let (bytes, allowed) = (4 * whole.width * whole.height, limits.bitmapBytes)
        guard target == nil, bytes > allowed else { return }
        let factor = (Double(allowed) / Double(bytes)).squareRoot()
        // A side that is no shorter than 1 leaves less to the other.
        func scaled(_ side: Int, beside other: Int) -> Int {
            let least = max(1, Int(Double(other) * factor))
            return max(1, min(Int(Double(side) * factor), allowed / 4 / least))
        }
        target = DecodeTarget(
            PixelSize(
                width: scaled(whole.width, beside: whole.height), height: scaled(whole.height, beside: whole.width)))
        // A decoder may need the whole image on the way.
        limits.bitmapBytes = bytes
    }
}
