import Foundation
import Synchronization

/// Decodes the frames of one animation in the order that its ``FrameQueue`` decides, one at a time, on threads outside
/// the cooperative pool.
final class FrameMaker: Sendable {
    private typealias Outcome = Result<Bitmap, ImageLoaderError>

    private struct State {
        var queue: FrameQueue<Bitmap>
        var waiting: [UInt64: Promise<Outcome>] = [:]
        var lastID: UInt64 = 0
    }

    private let state: Mutex<State>
    private let reader: FrameReader
    private let workers: WorkerThreads
    /// Determines how many frames may be buffered; nil if that doesn't change.
    private let share: FrameBudget.Share?

    /// Shared by all animations of the process; the threads start with the first job.
    private static let sharedWorkers = WorkerThreads("frames", count: CoreCount.current)

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
        state = Mutex(State(queue: queue))
        self.workers = workers ?? Self.sharedWorkers
        self.share = share
    }

    /// Requests a frame, and starts to decode it unless it is buffered. Wait for it with ``frame(_:)``.
    func begin(_ index: Int) -> Request {
        if Task.isCancelled { return .answered(.failure(.cancelled)) }
        let (request, job, empty) = state.withLock { state in
            let part = share?.reserve()
            if let part { state.queue.setRoom(part.room) }
            state.lastID += 1
            let outcome = state.queue.want(index, by: state.lastID)
            let job = state.queue.nextJob()
            if let outcome { return (Request.answered(outcome), job, part?.empty) }
            let promise = Promise<Outcome>()
            state.waiting[state.lastID] = promise
            return (.waiting(state.lastID, promise), job, part?.empty)
        }
        empty?()
        if let job { start(job) }
        return request
    }

    /// Waits for a frame. Returns a `Result` instead of throwing: see Docs/Decisions/0017.
    func frame(_ request: Request) async -> Result<Bitmap, ImageLoaderError> {
        switch request {
        case .answered(let outcome): return outcome
        case .waiting(_, let promise): return await promise.value { withdraw(request) }
        }
    }

    /// Ends a request with ``ImageLoaderError/cancelled`` unless it has been answered. The frame is no longer decoded
    /// for this request, unless that has begun.
    func withdraw(_ request: Request) {
        guard case .waiting(let id, let promise) = request, promise.end(.failure(.cancelled)) else { return }
        state.withLock { state in
            state.queue.leave(id)
            state.waiting[id] = nil
        }
    }

    /// Decodes no further frames ahead until the next request; see ``FrameQueue/rest(keepingFrames:)``.
    func rest(keepingFrames: Bool) { rest { _ in keepingFrames } }

    /// - Parameter keepsFrames: Returns nil if the animation isn't paused after all.
    private func rest(_ keepsFrames: (State) -> Bool?) {
        let canvas = state.withLock { state in
            if let keepsFrames = keepsFrames(state) { state.queue.rest(keepingFrames: keepsFrames) }
            return giveBack(&state)
        }
        // Released after the unlock, because freeing much memory takes time.
        _ = canvas
    }

    /// Gives back the memory that the animation doesn't hold, if it is paused. Returns the decoder to release.
    private func giveBack(_ state: inout State) -> (any FrameReading)? {
        guard state.queue.isResting else { return nil }
        let decoder = state.queue.isEmptied ? reader.forget() : nil
        // Besides the buffer, there may be the frame being decoded and the canvas.
        let others = state.queue.isWorking ? 2 : reader.hasCanvas ? 1 : 0
        share?.rest(holding: state.queue.buffered.count + others) { [weak self] in
            self?.rest { $0.queue.isResting ? false : nil }
        }
        return decoder
    }

    /// Decodes a frame, and then the following ones, until the last reference to this object is gone.
    private func start(_ job: FrameQueue<Bitmap>.Job) {
        workers.submitNext { [weak self, reader] in
            let outcome = reader.make(job)
            self?.end(outcome)
        }
    }

    /// Ends a job, and begins the next one.
    private func end(_ outcome: Result<Bitmap?, ImageLoaderError>) {
        let (waiters, answer, job, decoder) = state.withLock { state in
            let (ids, answer): ([UInt64], Outcome?) =
                switch outcome {
                case .success(let frame): (state.queue.made(frame), frame.map { .success($0) })
                case .failure(let error): (state.queue.failed(error), .failure(error))
                }
            let waiters = ids.compactMap { state.waiting.removeValue(forKey: $0) }
            return (waiters, answer, state.queue.nextJob(), giveBack(&state))
        }
        // Released here, so that the memory is free before a caller gets its frame.
        _ = consume decoder
        if let job { start(job) }
        guard let answer else { return }
        for waiter in waiters { waiter.end(answer) }
    }

    /// The number of frames that are buffered; for tests.
    var bufferedCount: Int { state.withLock { $0.queue.buffered.count } }
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

    /// Returns the decoder with its canvas, to be released. No job may be running.
    func forget() -> (any FrameReading)? { frames.withLock { $0.take() } }

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
