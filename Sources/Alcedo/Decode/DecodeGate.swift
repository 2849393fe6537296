package import Foundation

/// Limits how many pictures are decoded at a time, and their total size.
///
/// Decodes run on threads outside the cooperative pool; among the waiting ones, the most urgent goes first.
package actor DecodeGate {
    let decoders: ImageDecoders
    let limits: DecodeLimits
    let workers: WorkerThreads
    private var permits: SlotQueue<UInt64>
    private var waiters: [UInt64: CheckedContinuation<Bool, Never>] = [:]
    private var lastID: UInt64 = 0
    /// Cancels work that runs only while no decode waits.
    private var guests: [UInt64: DecodeCancellation] = [:]

    package init(_ settings: DecodeSettings) {
        decoders = settings.decoders
        limits = settings.limits
        workers = WorkerThreads("decode", count: settings.maximumConcurrentDecodes)
        permits = SlotQueue(width: settings.maximumConcurrentDecodes, weightLimit: settings.limits.bitmapBytes.doubled)
    }

    /// The number of waiting decodes, and the priority of the next one; for tests.
    var line: (count: Int, next: RequestPriority?) { (permits.waitingCount, permits.nextPriority) }

    /// Decodes `data` to the requested variant.
    ///
    /// A Task cancelled while it waits for its turn throws immediately; one that is decoding throws as soon as the
    /// decoder notices.
    ///
    /// - Parameter control: provides the priority, also while waiting; nil means normal.
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
                    guard let decoder = decoder as? any StoredImageDecoding else {
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

    /// Runs `work` and returns its result if a slot is free and no decode waits for one; returns nil immediately
    /// otherwise.
    ///
    /// `work` is cancelled when a decode arrives that would have to wait, and when the Task is cancelled.
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

    /// Reads the header on the calling Task's thread if the file is small. Searching a large file would block a thread
    /// of the cooperative pool.
    nonisolated func header(
        of data: Data, by decoder: any ImageDecoding
    ) async throws(ImageLoaderError) -> ImageHeader {
        if data.count <= Self.quickHeaderBytes { return try decoder.header(of: data, limits: limits) }
        return try await workers.run { [limits] in
            Result { () throws(ImageLoaderError) in try decoder.header(of: data, limits: limits) }
        }.get()
    }

    private static let quickHeaderBytes = 256 << 10

    /// Returns whether the Task got its turn; false when it was cancelled first.
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
                waiters[id] = continuation
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

    /// A decode that already has its permit gives it back when it finishes.
    private func leave(_ id: UInt64) {
        if waiters[id] != nil { giveBack(id) }
    }

    private func giveBack(_ id: UInt64) {
        waiters.removeValue(forKey: id)?.resume(returning: false)
        resume(permits.release(id))
    }

    private func resume(_ next: [UInt64]) {
        for id in next { waiters.removeValue(forKey: id)?.resume(returning: true) }
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
    /// Twice the value, saturating at `Int.max`.
    fileprivate var doubled: Int {
        let (value, overflows) = multipliedReportingOverflow(by: 2)
        return overflows ? .max : value
    }
}
