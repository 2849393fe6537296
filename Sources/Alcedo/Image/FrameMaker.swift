import Foundation
import Synchronization

/// Decodes the frames of one animation in the order that its ``FrameQueue`` decides, one at a time, on threads outside
/// the cooperative pool.
actor FrameMaker {
    private typealias Outcome = Result<Bitmap, ImageLoaderError>

    private(set) var queue: FrameQueue<Bitmap>
    private let reader: FrameReader
    private let workers: WorkerThreads
    /// Says how many frames may be buffered, if that changes.
    private let share: FrameBudget.Share?
    private var waiting: [UInt64: Promise<Outcome>] = [:]
    private var lastID: UInt64 = 0
    /// Runs while there are frames to decode.
    private var work: Task<Void, Never>?

    /// Shared by all animations of the process; the threads start with the first job.
    private static let sharedWorkers = WorkerThreads("frames", count: CoreNumber.count)

    init(
        _ animation: any AnimationReading, _ fitting: FrameFitting, queue: FrameQueue<Bitmap>,
        workers: WorkerThreads? = nil, share: FrameBudget.Share? = nil
    ) {
        reader = FrameReader(animation, fitting)
        self.queue = queue
        self.workers = workers ?? Self.sharedWorkers
        self.share = share
    }

    /// A `Result`, not an error: see Docs/Decisions/0017.
    func frame(at index: Int) async -> Result<Bitmap, ImageLoaderError> {
        if Task.isCancelled { return .failure(.cancelled) }
        lastID += 1
        let id = lastID
        if let share { queue.setRoom(share.room()) }
        let answer = queue.want(index, by: id)
        startWork()
        if let answer { return answer }
        let promise = Promise<Outcome>()
        waiting[id] = promise
        return await withTaskCancellationHandler {
            await promise.value()
        } onCancel: {
            promise.end(.failure(.cancelled))
            Task { await self.leave(id) }
        }
    }

    private func leave(_ id: UInt64) {
        queue.leave(id)
        waiting[id] = nil
    }

    private func startWork() {
        guard work == nil, let first = queue.nextJob() else { return }
        work = Task {
            var job: FrameQueue<Bitmap>.Job? = first
            while let now = job {
                end(await workers.run { [reader] in reader.make(now) })
                job = queue.nextJob()
            }
            work = nil
        }
    }

    private func end(_ outcome: Result<Bitmap?, ImageLoaderError>) {
        switch outcome {
        case .success(let frame):
            for id in queue.made(frame) {
                if let frame { waiting.removeValue(forKey: id)?.end(.success(frame)) }
            }
        case .failure(let error):
            for id in queue.failed(error) { waiting.removeValue(forKey: id)?.end(.failure(error)) }
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

    func make(_ job: FrameQueue<Bitmap>.Job) -> Result<Bitmap?, ImageLoaderError> {
        Result { () throws(ImageLoaderError) in
            let stored = try frames.withLock { (frames) throws(ImageLoaderError) in
                if job.isStart || frames == nil { frames = try animation.makeFrames() }
                return try frames?.next()
            }
            guard let stored, job.isSeen || fitting.isEmpty else { return nil }
            return try fitting.apply(to: stored)
        }
    }
}
