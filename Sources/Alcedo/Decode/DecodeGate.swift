package import Foundation

/// Decodes a limited number of pictures at a time, of limited size together, on threads beside the cooperative pool. Of
/// those that wait, the most urgent goes first.
package actor DecodeGate {
    let decoders: ImageDecoders
    let limits: DecodeLimits
    let workers: WorkerThreads
    private var permits: SlotQueue<UInt64>
    private var inLine: [UInt64: CheckedContinuation<Bool, Never>] = [:]
    private var lastID: UInt64 = 0
    /// What stops those that run only while nobody else wants to.
    private var guests: [UInt64: DecodeCancellation] = [:]

    package init(_ settings: DecodeSettings) {
        decoders = settings.decoders
        limits = settings.limits
        workers = WorkerThreads("decode", count: settings.width)
        permits = SlotQueue(width: settings.width, weightLimit: settings.limits.bitmapBytes.doubled)
    }

    /// How many wait, and how urgent the next of them is; for tests.
    var line: (count: Int, next: RequestPriority?) { (permits.waitingCount, permits.nextPriority) }

    /// The picture that `data` holds, in the form that is asked for. A Task cancelled while it waits for its turn
    /// leaves at once, and one that decodes as soon as the decoder has noticed.
    ///
    /// - Parameter control: says how urgent it is, also while it waits; nil for normal.
    package nonisolated func decode(
        _ data: Data, as variant: ImageVariant = ImageVariant(), _ control: LoadControl? = nil
    ) async throws(ImageLoaderError) -> DecodedImage {
        try await outcome(of: data, as: variant, control).get()
    }

    /// A `Result`, not an error: see Docs/Decisions/0017.
    private func outcome(
        of data: Data, as variant: ImageVariant, _ control: LoadControl?
    ) async -> Result<DecodedImage, ImageLoaderError> {
        do throws(ImageLoaderError) {
            return .success(try await decoded(data, as: variant, control))
        } catch {
            return .failure(error)
        }
    }

    private func decoded(
        _ data: Data, as variant: ImageVariant, _ control: LoadControl?
    ) async throws(ImageLoaderError) -> DecodedImage {
        let decoder = try decoders.decoder(for: data)
        let request = DecodeRequest(limits, variant)
        let header = try await header(of: data, by: decoder)
        lastID += 1
        let id = lastID
        let bytes = try decoder.workingBytes(header, request)
        guard await permit(id, bytes: bytes, control) else { throw .cancelled }
        let decoded = await withTaskCancellationHandler {
            await workers.run {
                Result { () throws(ImageLoaderError) in
                    guard let decoder = decoder as? any StoredPictureDecoding else {
                        return try decoder.decode(data, request)
                    }
                    return try decoder.decode(data, header, request)
                }
            }
        } onCancel: { [cancellation = request.cancellation] in
            cancellation.cancel()
        }
        giveBack(id)
        return try decoded.get()
    }

    /// What `work` makes, if a slot is free and nobody waits for one; else nil at once. It is told to stop when
    /// somebody comes who would have to wait, and when the Task is cancelled.
    func whenIdle<Value: Sendable>(_ work: @escaping @Sendable (DecodeCancellation) -> Value) async -> Value? {
        lastID += 1
        let id = lastID
        guard permits.request(id, priority: .veryLow) else {
            giveBack(id)
            return nil
        }
        let cancellation = DecodeCancellation()
        guests[id] = cancellation
        let value = await withTaskCancellationHandler {
            await workers.run { work(cancellation) }
        } onCancel: {
            cancellation.cancel()
        }
        guests[id] = nil
        giveBack(id)
        return value
    }

    /// A head is read where it is asked for; a search for one through a large file would keep a thread of the pool.
    nonisolated func header(
        of data: Data, by decoder: any ImageDecoding
    ) async throws(ImageLoaderError) -> ImageHeader {
        if data.count <= Self.quickHeaderBytes { return try decoder.header(of: data, limits: limits) }
        return try await workers.run { [limits] in
            Result { () throws(ImageLoaderError) in try decoder.header(of: data, limits: limits) }
        }.get()
    }

    private static let quickHeaderBytes = 256 << 10

    /// Whether the Task got its turn; false when it was cancelled before.
    private func permit(_ id: UInt64, bytes: Int, _ control: LoadControl?) async -> Bool {
        control?.onPriority { Task { await self.updatePriority(of: id, control) } }
        defer { control?.onPriority(nil) }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled { return continuation.resume(returning: false) }
                let priority = control?.priority ?? .normal
                if permits.request(id, weight: bytes, priority: priority) {
                    return continuation.resume(returning: true)
                }
                inLine[id] = continuation
                for guest in guests.values { guest.cancel() }
            }
        } onCancel: {
            Task { await self.leave(id) }
        }
    }

    private func updatePriority(of id: UInt64, _ control: LoadControl?) {
        guard let control else { return }
        resume(permits.setPriority(control.priority, of: id))
    }

    /// One that has its permit already gives it back when its decode is done.
    private func leave(_ id: UInt64) {
        if inLine[id] != nil { giveBack(id) }
    }

    private func giveBack(_ id: UInt64) {
        inLine.removeValue(forKey: id)?.resume(returning: false)
        resume(permits.release(id))
    }

    private func resume(_ next: [UInt64]) {
        for id in next { inLine.removeValue(forKey: id)?.resume(returning: true) }
    }
}

extension DecodeRequest {
    fileprivate init(_ limits: DecodeLimits, _ variant: ImageVariant) {
        self.init(limits: limits, target: variant.target)
        frames = variant.frames
        convertsToSRGB = variant.convertsToSRGB
    }
}

extension Int {
    /// Twice as much, as far as there are numbers.
    fileprivate var doubled: Int {
        let (value, overflows) = multipliedReportingOverflow(by: 2)
        return overflows ? .max : value
    }
}
