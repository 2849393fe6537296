#if os(Linux) && Curl
import Foundation
import Synchronization

/// A response's body in a content coding, which worker threads decode and deliver to the load's sink.
///
/// It is decoded in slices, one after the other, so that a body that expands greatly holds up neither the transport's
/// thread nor other bodies. The transfer pauses while too many coded bytes wait.
final class CodedBody: Sendable {
    /// The state that the transport's thread shares with the slices.
    private struct Input {
        /// The bytes that no slice has taken.
        var bytes: [UInt8] = []
        /// Whether all bytes have arrived.
        var isWhole = false
        /// Whether the decoder has taken everything that it was given.
        var isUsedUp = true
        /// Whether the transfer waits until a slice takes `bytes`.
        var isAwaited = false
        /// Whether a slice is submitted or runs.
        var isRunning = false
        /// Whether no further slice is decoded.
        var isOver = false

        /// Whether a slice must be submitted.
        ///
        /// - Parameter isHeld: Whether the sink currently accepts no bytes.
        mutating func starts(_ isHeld: Bool) -> Bool {
            guard !isRunning, !isOver, !isHeld, !isUsedUp || !bytes.isEmpty || isWhole else { return false }
            isRunning = true
            return true
        }
    }

    /// The state that only the slices use. Only one slice runs at a time, so its lock is never contended.
    private struct Work {
        let decoder: any ContentDecoder
        var unread: [UInt8] = []
        /// The number of bytes of the coded body.
        var taken = 0
        /// The number of bytes after the end of the coded body.
        var surplus = 0
        var made = 0
        var output = [UInt8](repeating: 0, count: CodedBody.sliceBytes)
    }

    /// The maximum number of bytes that a slice decodes to.
    private static let sliceBytes = 64 << 10
    /// The number of waiting coded bytes at which the transfer pauses.
    private static let mostWaiting = 64 << 10
    /// The margin by which coded bytes may exceed the limit for decoded bytes: a coding adds frames even to a body
    /// that can't be compressed. Also the number of bytes after the end of the body, such as padding, that are read so
    /// that the connection can be reused; if there are more, the transfer ends.
    private static let mostSpare = 64 << 10
    /// The number of decoded bytes above which the expansion factor is checked. Smaller bodies may expand by any
    /// factor.
    private static let leastChecked = 1 << 20

    private let load: TransportLoad
    private let threads: WorkerThreads
    private let mailbox: CurlMailbox
    private let input = Mutex(Input())
    private let work: Mutex<Work>
    private let received = Atomic(0)
    private let total = Atomic(0)
    private let delivers = Atomic(false)

    /// - Parameters:
    ///   - threads: The threads that decode the slices.
    ///   - mailbox: Receives a message when the transfer may continue, and when everything is decoded.
    init(
        _ load: TransportLoad, _ decoder: sending any ContentDecoder, _ threads: WorkerThreads, _ mailbox: CurlMailbox
    ) {
        self.load = load
        self.threads = threads
        self.mailbox = mailbox
        work = Mutex(Work(decoder: decoder))
    }

    /// The number of coded bytes so far.
    var receivedBytes: Int { received.load(ordering: .relaxed) }
    /// The number of decoded bytes so far.
    var decodedBytes: Int { total.load(ordering: .relaxed) }
    /// Whether the sink is taking decoded bytes now, which may take long.
    var isDelivering: Bool { delivers.load(ordering: .relaxed) }

    /// Whether the sink currently accepts no bytes. Read under the lock, so that no ``resume()`` is missed while a
    /// slice ends.
    private var isHeld: Bool { load.sink.demand == .nothing }

    // MARK: The transport's thread

    /// Continues decoding when the sink accepts bytes again.
    func resume() {
        if input.withLock({ $0.starts(isHeld) }) { submit() }
    }

    /// Whether more coded bytes may arrive. If not, a `resume` is posted when they may.
    func hasRoom() -> Bool {
        input.withLock { input in
            input.isAwaited = input.bytes.count >= Self.mostWaiting
            return !input.isAwaited
        }
    }

    /// Takes coded bytes.
    func append(_ bytes: some Collection<UInt8>) {
        received.add(bytes.count, ordering: .relaxed)
        let starts = input.withLock { input in
            input.bytes.append(contentsOf: bytes)
            return input.starts(isHeld)
        }
        if starts { submit() }
    }

    /// Reports that all bytes have arrived. A `decoded` is posted when they are decoded.
    func finish() {
        let starts = input.withLock { input in
            input.isWhole = true
            return input.starts(isHeld)
        }
        if starts { submit() }
    }

    /// Prevents further slices. Returns false while a slice runs; a `decoded` is posted when it has ended.
    func stop() -> Bool {
        input.withLock { input in
            input.isOver = true
            return !input.isRunning
        }
    }

    // MARK: Slices

    private func submit() { threads.submit { self.decodeSlice() } }

    private func decodeSlice() {
        let (bytes, isWhole, isAwaited) = input.withLock { input in
            guard input.isUsedUp else { return ([UInt8](), false, false) }
            return (exchange(&input.bytes, with: []), input.isWhole, exchange(&input.isAwaited, with: false))
        }
        if isAwaited { mailbox.post(.resume(load)) }
        var outcome: TransportLoad.Outcome?
        var isUsedUp = false
        do throws(ImageLoaderError) {
            if load.hasEnded { throw .cancelled }
            let made = try work.withLock { work throws(ImageLoaderError) in
                try Self.decode(bytes, &work, load.sink.rules)
            }
            isUsedUp = made.count < Self.sliceBytes
            if !made.isEmpty {
                delivers.store(true, ordering: .relaxed)
                defer { delivers.store(false, ordering: .relaxed) }
                try load.sink.append(made)
                total.add(made.count, ordering: .relaxed)
            }
            if isUsedUp, try isComplete(isWhole) { outcome = .success(()) }
        } catch {
            outcome = .failure(error)
        }
        let (starts, isOver) = input.withLock { input in
            input.isRunning = false
            input.isUsedUp = isUsedUp
            input.isOver = input.isOver || outcome != nil
            return (input.starts(isHeld), input.isOver)
        }
        if starts { submit() }
        if isOver { mailbox.post(.decoded(load, outcome ?? .failure(.cancelled))) }
    }

    /// Decodes until the output is full or all bytes are taken.
    private static func decode(
        _ bytes: [UInt8], _ work: inout Work, _ rules: ResponseRules
    ) throws(ImageLoaderError) -> Data {
        work.unread += bytes
        var (read, surplus, made, isDamaged) = (0, 0, 0, false)
        work.unread.withUnsafeBytes { input in
            work.output.withUnsafeMutableBytes { output in
                while made < output.count, !isDamaged {
                    let step = work.decoder.decode(
                        UnsafeRawBufferPointer(rebasing: input[read...]),
                        into: UnsafeMutableRawBufferPointer(rebasing: output[made...]))
                    if step.taken == 0, step.made == 0, !step.isDamaged { return }
                    (read, made, isDamaged) = (read + step.taken, made + step.made, step.isDamaged)
                    if step.isSurplus { surplus += step.taken }
                }
            }
        }
        work.unread.removeFirst(read)
        work.taken += read - surplus
        work.surplus += surplus
        work.made += made
        if isDamaged { throw .malformedResponse("the body doesn't follow the rules of its content coding") }
        try rules.check(bytes: work.taken, allowing: mostSpare)
        let factor = rules.maximumExpansion
        if work.made > leastChecked, work.made / factor > work.taken {
            throw .limitExceeded(.expansion, value: work.made / max(1, work.taken), allowed: factor)
        }
        return Data(work.output[..<made])
    }

    /// Whether the body is complete: all bytes have arrived, or too many after its end.
    ///
    /// - Throws: ``ImageLoaderError/truncated(received:expected:)`` if the bytes end before the coding does.
    private func isComplete(_ isWhole: Bool) throws(ImageLoaderError) -> Bool {
        let (hasEnded, surplus) = work.withLock { ($0.decoder.hasEnded, $0.surplus) }
        // An empty body isn't coded, even if its header fields say so.
        if isWhole, !hasEnded, receivedBytes > 0 { throw .truncated(received: receivedBytes, expected: nil) }
        return isWhole || surplus > Self.mostSpare
    }
}
#endif
