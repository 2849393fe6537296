import Foundation
import Synchronization

/// Decodes the frames of one animation in the order that its ``FrameQueue`` decides, one at a time, on threads outside
/// the cooperative pool.
actor FrameMaker {
    private typealias Outcome = Result<Bitmap, ImageLoaderError>

    private(set) var queue: FrameQueue<Bitmap>
    private nonisolated let turns = TurnExecutor()
    private nonisolated let reader: FrameReader
    private let workers: WorkerThreads
    /// Says how many frames may be buffered, if that changes.
    private let share: FrameBudget.Share?
    private var waiting: [UInt64: Promise<Outcome>] = [:]
    private var lastID: UInt64 = 0

    /// Shared by all animations of the process; the threads start with the first job.
    private static let sharedWorkers = WorkerThreads("frames", count: CoreNumber.count)

    /// A frame that has been requested.
    enum Request: Sendable {
        case answered(Result<Bitmap, ImageLoaderError>)
        case waiting(UInt64, Promise<Result<Bitmap, ImageLoaderError>>)

        /// Whether ``FrameMaker/frame(_:)`` returns it without suspending.
        var isAnswered: Bool {
            switch self {
            case .answered: true
            case .waiting(_, let promise): promise.hasEnded
            }
        }
    }

    init(
        _ animation: any AnimationReading, _ fitting: FrameFitting, queue: FrameQueue<Bitmap>,
        workers: WorkerThreads? = nil, share: FrameBudget.Share? = nil
    ) {
        reader = FrameReader(animation, fitting)
        self.queue = queue
        self.workers = workers ?? Self.sharedWorkers
        self.share = share
    }

    /// Free most of the time, so a buffered frame is returned without a switch of threads.
    nonisolated var unownedExecutor: UnownedSerialExecutor { turns.asUnownedSerialExecutor() }

    /// Requests a frame, and starts to decode it unless it is buffered. Wait for it with ``frame(_:)``.
    nonisolated func begin(_ index: Int) async -> Request {
        if Task.isCancelled { return .answered(.failure(.cancelled)) }
        return if let request = turns.now(self, { $0.request(index) }) { request } else { await request(index) }
    }

    /// Waits for a frame. A `Result`, not an error: see Docs/Decisions/0017.
    nonisolated func frame(_ request: Request) async -> Result<Bitmap, ImageLoaderError> {
        switch request {
        case .answered(let outcome): return outcome
        case .waiting(_, let promise): return await promise.value { withdraw(request) }
        }
    }

    /// Ends a request with ``ImageLoaderError/cancelled`` unless it is answered. Its frame is no longer decoded for it,
    /// unless that has begun.
    nonisolated func withdraw(_ request: Request) {
        guard case .waiting(let id, let promise) = request, promise.end(.failure(.cancelled)) else { return }
        turns.later(self) { $0.leave(id) }
    }

    private func request(_ index: Int) -> Request {
        lastID += 1
        let id = lastID
        if let share { queue.setRoom(share.room()) }
        let outcome = queue.want(index, by: id)
        startWork()
        if let outcome { return .answered(outcome) }
        let promise = Promise<Outcome>()
        waiting[id] = promise
        return .waiting(id, promise)
    }

    private func leave(_ id: UInt64) {
        queue.leave(id)
        waiting[id] = nil
    }

    /// Decodes no further frames ahead until the next request; see ``FrameQueue/rest(keepingFrames:)``.
    nonisolated func rest(keepingFrames: Bool) {
        turns.soon(self) { $0.rest(keepingFrames) }
    }

    private func rest(_ keepsFrames: Bool) {
        queue.rest(keepingFrames: keepsFrames)
        giveBack()
    }

    /// Releases the decoder and the memory that the animation doesn't hold, if it stands still.
    private func giveBack() {
        guard queue.isResting else { return }
        if queue.isEmptied { reader.forget() }
        // Besides the buffer, there may be the frame being decoded and the canvas.
        let others = queue.isWorking ? 2 : reader.hasCanvas ? 1 : 0
        share?.rest(holding: queue.buffered.count + others) { [weak self] in
            guard let self else { return }
            turns.soon(self) { if $0.queue.isResting { $0.rest(false) } }
        }
    }

    /// Decodes the next frame that is needed, if none is being decoded. Ends with the last reference to this object.
    private func startWork() {
        guard let job = queue.nextJob() else { return }
        workers.submitNext { [weak self, reader] in
            let outcome = reader.make(job)
            guard let self else { return }
            // Waiters are resumed after the turn: some ask for the next frame at once, and would have to wait for it.
            if let end = turns.now(self, { $0.end(outcome) }) { end() } else { turns.soon(self) { $0.end(outcome)() } }
        }
    }

    /// Ends a job, and begins the next one.
    ///
    /// - Returns: A closure that resumes the waiters. Call it after the turn.
    private func end(_ outcome: Result<Bitmap?, ImageLoaderError>) -> @Sendable () -> Void {
        let (ids, answer): ([UInt64], Outcome?) =
            switch outcome {
            case .success(let frame): (queue.made(frame), frame.map { .success($0) })
            case .failure(let error): (queue.failed(error), .failure(error))
            }
        let waiters = ids.compactMap { waiting.removeValue(forKey: $0) }
        startWork()
        giveBack()
        return {
            guard let answer else { return }
            for waiter in waiters { waiter.end(answer) }
        }
    }
}

/// Decodes the frames of one animation in order, on whichever thread runs the job.
final class FrameReader: Sendable {
    private let animation: any AnimationReading
    private let fitting: FrameFitting
    /// Never contended: there is only one job at a time.
    private let frames = Mutex<(any FrameReading)?>(nil)

    init(_ animation: any AnimationReading, _ fitting: FrameFitting) {
        self.animation = animation
        self.fitting = fitting
    }

    /// Whether there is a canvas that the next frame would be drawn on. No job may be running.
    var hasCanvas: Bool { frames.withLock { $0 != nil } }

    /// Releases the canvas. No job may be running.
    func forget() { frames.withLock { $0 = nil } }

    func make(_ job: FrameQueue<Bitmap>.Job) -> Result<Bitmap?, ImageLoaderError> {
        Result { () throws(ImageLoaderError) in
            let stored = try frames.withLock { (frames) throws(ImageLoaderError) in
                if job.isStart || frames == nil { frames = try animation.makeFrames() }
                // No frame is drawn after the last one.
                defer { if job.isLast { frames = nil } }
                return try frames?.next()
            }
            guard let stored, job.isSeen || fitting.isEmpty else { return nil }
            return try fitting.apply(to: stored)
        }
    }
}
