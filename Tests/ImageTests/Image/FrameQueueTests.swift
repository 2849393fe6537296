import AlcedoTestSupport
import Testing

@testable import Alcedo
@testable import TestFixtures

struct FrameQueueTests {
    private typealias Queue = FrameQueue<Int>

    private func indices(_ answer: Result<Int, ImageLoaderError>?) -> Int? {
        if case .success(let index) = answer { index } else { nil }
    }

    /// Makes frames until there is nothing to do; returns which.
    private func run(_ queue: inout Queue) -> [Int] {
        var made: [Int] = []
        while let job = queue.nextJob() {
            made.append(job.index)
            _ = queue.made(job.isSeen ? job.index : nil)
        }
        return made
    }

    @Test func nothingIsDecoded_beforeARequest() {
        var queue = Queue(count: 10, room: 3, wraps: true)
        check(queue.nextJob(), nil)
    }

    @Test func request_getsFrame_andNextFramesAreDecoded() {
        var queue = Queue(count: 10, room: 3, wraps: true)
        check(indices(queue.want(0, by: 1)), nil)
        check(queue.nextJob(), Queue.Job(index: 0, isStart: true, isSeen: true))
        check(queue.nextJob(), nil)
        check(queue.made(0), [1])
        check(run(&queue), [1, 2])
        check(indices(queue.want(1, by: 2)), 1)
        check(run(&queue), [3])
        check(queue.buffered.keys.sorted(), [1, 2, 3])
    }

    @Test func firstFrame_followsLast_whenLooping() {
        for wraps in [true, false] {
            var queue = Queue(count: 4, room: 2, wraps: wraps)
            _ = queue.want(2, by: 1)
            check(run(&queue), [0, 1, 2, 3])
            _ = queue.want(3, by: 2)
            check(run(&queue), wraps ? [0] : [])
            check(queue.buffered.keys.sorted(), wraps ? [0, 3] : [3])
        }
    }

    @Test func restingQueue_decodesNothingAhead_andGoesOn() {
        var queue = Queue(count: 10, room: 5, wraps: true)
        _ = queue.want(0, by: 1)
        let first = queue.nextJob()
        queue.rest(keepingFrames: true)
        check(first?.index, 0)
        // The frame that was being decoded is kept.
        check(queue.made(0), [1])
        check(queue.nextJob(), nil)
        check(indices(queue.want(0, by: 2)), 0)
        check(run(&queue), [1, 2, 3, 4])
    }

    @Test func restWithoutFrames_emptiesTheBuffer_andBeginsAnew() {
        var queue = Queue(count: 10, room: 3, wraps: true)
        _ = queue.want(2, by: 1)
        check(run(&queue), [0, 1, 2, 3, 4])
        _ = queue.want(3, by: 2)
        check(queue.nextJob()?.index, 5)
        queue.rest(keepingFrames: false)
        check(queue.made(5), [])
        check(queue.buffered.isEmpty && queue.nextJob() == nil, true)
        _ = queue.want(4, by: 3)
        check(run(&queue), [0, 1, 2, 3, 4, 5, 6])
    }

    @Test func restWithoutFrames_servesWaiters_thenBeginsAnew() {
        var queue = Queue(count: 10, room: 3, wraps: true)
        _ = queue.want(3, by: 1)
        check(queue.nextJob()?.index, 0)
        queue.rest(keepingFrames: false)
        var jobs: [Int] = []
        for _ in 0..<9 {
            let ids = queue.made(0)
            check(ids, jobs.last == 3 ? [1] : [])
            guard let job = queue.nextJob() else { break }
            jobs.append(job.index)
        }
        check(jobs, [1, 2, 3])
        check(queue.isEmptied && queue.buffered.isEmpty, true)
        _ = queue.want(4, by: 2)
        check(queue.nextJob()?.isStart, true)
    }

    /// Frames decoded on the way to another one aren't kept, but leave a reader that could continue.
    @Test func restWithoutFrames_forgetsAReaderOnItsWay() {
        var queue = Queue(count: 10, room: 1, wraps: true)
        _ = queue.want(5, by: 1)
        check(queue.nextJob(), Queue.Job(index: 0, isStart: true, isSeen: false))
        queue.rest(keepingFrames: false)
        check(queue.isResting && !queue.isEmptied, true)
        queue.leave(1)
        check(queue.made(nil), [])
        check(queue.nextJob() == nil && queue.isEmptied, true)
        _ = queue.want(5, by: 2)
        check(queue.nextJob()?.isStart, true)
    }

    /// In any order, and for any room, all buffered frames are near the frame requested last.
    @Test func farFrames_areDropped() {
        var queue = Queue(count: 10, room: 4, wraps: true)
        for (index, kept) in [(0, [0, 1, 2, 3]), (2, [2, 3, 4, 5]), (8, [0, 1, 8, 9]), (1, [1, 2, 3, 4])] {
            _ = queue.want(index, by: UInt64(index + 1))
            _ = run(&queue)
            check(queue.buffered.keys.sorted(), kept)
        }
        queue.setRoom(2)
        check(indices(queue.want(2, by: 20)), 2)
        check(queue.buffered.keys.sorted(), [2, 3])
    }

    @Test func bufferedFrames_areDecodedOnce() {
        var queue = Queue(count: 4, room: 9, wraps: true)
        _ = queue.want(0, by: 1)
        check(run(&queue), [0, 1, 2, 3])
        for index in [3, 0, 2, 1] {
            check(indices(queue.want(index, by: 2)), index)
            check(queue.nextJob(), nil)
        }
    }

    @Test func intermediateFrame_isNotDelivered() {
        var queue = Queue(count: 9, room: 1, wraps: true)
        _ = queue.want(2, by: 1)
        check(queue.nextJob(), Queue.Job(index: 0, isStart: true, isSeen: false))
        check(queue.made(nil), [])
        check(queue.nextJob(), Queue.Job(index: 1, isStart: false, isSeen: false))
        check(queue.made(nil), [])
        check(queue.nextJob(), Queue.Job(index: 2, isStart: false, isSeen: true))
        check(queue.made(2), [1])
        // Further back is only reached from the first one on.
        _ = queue.want(1, by: 2)
        check(queue.nextJob(), Queue.Job(index: 0, isStart: true, isSeen: false))
    }

    @Test func severalWaiters_shareFrame() {
        var queue = Queue(count: 9, room: 1, wraps: true)
        _ = queue.want(4, by: 1)
        _ = queue.want(1, by: 2)
        _ = queue.want(4, by: 3)
        var given: [UInt64] = []
        while given.count < 3, let job = queue.nextJob() { given += queue.made(job.isSeen ? job.index : nil) }
        #expect(given == [2, 1, 3])
    }

    @Test func abandonedRequest_stopsDecoding() {
        var queue = Queue(count: 900, room: 3, wraps: true)
        _ = queue.want(800, by: 1)
        _ = queue.nextJob()
        queue.leave(1)
        check(queue.made(nil), [])
        check(queue.nextJob(), nil)
    }

    @Test func failedFrame_failsLaterFramesToo() {
        var queue = Queue(count: 9, room: 9, wraps: true)
        _ = queue.want(7, by: 1)
        _ = queue.nextJob()
        _ = queue.made(0)
        _ = queue.nextJob()
        check(queue.failed(.emptyBody), [1])
        guard case .failure(.emptyBody) = queue.want(1, by: 2) else {
            Issue.record("no failure")
            return
        }
        check(indices(queue.want(0, by: 3)), 0)
        check(queue.nextJob(), nil)
    }
}

/// Random callers against a reader that only goes forwards.
struct FrameQueueFuzzTests {
    @Test func randomRequests_areAnswered_withinRoom() {
        var random = SeededRandom(seed: Fuzz.seed)
        func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
        for round in 0..<max(20, Fuzz.steps / 500) {
            let (count, room) = (number(2...12), number(1...14))
            let broken = number(0...3) == 0 ? number(0...count) : count
            var run = Run(count: count, room: room, wraps: number(0...1) == 0, broken: broken)
            for _ in 0..<60 {
                switch number(0...5) {
                case 0, 1: run.want(number(0...count - 1))
                case 2: run.leave(number(0...9))
                default: run.work()
                }
            }
            var left = count * 40
            while run.work(), left > 0 { left -= 1 }
            must(left > 0 && run.waiting.isEmpty, "ALCEDO_FUZZ_SEED=\(Fuzz.seed), round \(round)")
        }
    }

    private struct Run {
        var queue: FrameQueue<Int>
        let room: Int
        let broken: Int
        var waiting: [UInt64: Int] = [:]
        private var lastID: UInt64 = 0
        private var reader = 0

        init(count: Int, room: Int, wraps: Bool, broken: Int) {
            queue = FrameQueue(count: count, room: room, wraps: wraps)
            (self.room, self.broken) = (room, broken)
        }

        mutating func want(_ index: Int) {
            lastID += 1
            switch queue.want(index, by: lastID) {
            case .success(let frame): must(frame == index, "another frame")
            case .failure: must(index >= broken, "a failure of a good frame")
            case nil: waiting[lastID] = index
            }
        }

        mutating func leave(_ number: Int) {
            guard let id = waiting.keys.sorted().dropFirst(number).first else { return }
            queue.leave(id)
            waiting[id] = nil
        }

        @discardableResult
        mutating func work() -> Bool {
            guard let job = queue.nextJob() else { return false }
            if job.isStart { reader = 0 }
            must(job.index == reader, "the reader is elsewhere")
            reader += 1
            if job.index >= broken {
                for id in queue.failed(.emptyBody) {
                    must(waiting.removeValue(forKey: id).map { $0 >= broken } == true, "failed without a reason")
                }
            } else {
                for id in queue.made(job.isSeen ? job.index : nil) {
                    must(waiting.removeValue(forKey: id) == job.index, "another frame")
                }
            }
            must(queue.buffered.count <= room, "more than there is room for")
            return true
        }
    }
}
