#if os(Linux)
import Synchronization

/// The ``IdlePages`` of the process. Returns them to the system after one to two seconds.
final class IdleBitmapMemory: Sendable {
    private struct State {
        var pages: IdlePages
        /// Whether a Task is running that ages the pages.
        var isWatched = false
    }

    private let state: Mutex<State>
    private let time: TimeSource
    private let unmap: @Sendable (UnsafeMutableRawPointer, Int) -> Void

    /// - Parameters:
    ///   - limit: the maximum number of idle bytes. The default is enough for an image of 16 megapixels.
    ///   - unmap: returns memory to the system.
    init(
        limit: Int = 64 << 20, time: TimeSource = TimeSource(),
        unmap: @escaping @Sendable (UnsafeMutableRawPointer, Int) -> Void = SystemPages.unmap
    ) {
        state = Mutex(State(pages: IdlePages(limit: limit)))
        self.time = time
        self.unmap = unmap
    }

    deinit { giveBack(state.withLock { $0.pages.blocks }) }

    /// The number of idle bytes.
    var byteCount: Int { state.withLock { $0.pages.byteCount } }

    /// Returns a block of that length, still holding an older bitmap's bytes; nil when there is none.
    func take(_ length: Int) -> UnsafeMutableRawPointer? {
        let (hit, excess) = state.withLock { $0.pages.take(length) }
        giveBack(excess)
        return hit.flatMap { UnsafeMutableRawPointer(bitPattern: $0.address) }
    }

    /// Takes ownership of a block from ``SystemPages``.
    func add(_ base: UnsafeMutableRawPointer, _ length: Int) {
        let block = IdlePages.Block(address: UInt(bitPattern: base), length: length)
        let (excess, isUnwatched) = state.withLock { state in
            let excess = state.pages.add(block)
            let isUnwatched = !state.isWatched && !state.pages.isEmpty
            if isUnwatched { state.isWatched = true }
            return (excess, isUnwatched)
        }
        giveBack(excess)
        if isUnwatched { watch() }
    }

    /// Runs for as long as there are idle blocks.
    private func watch() {
        Task.detached(priority: .utility) { [self] in
            repeat { _ = await time.sleep(for: .seconds(1)) } while sweep()
        }
    }

    /// Returns whether idle blocks remain.
    private func sweep() -> Bool {
        let old = state.withLock { state in
            let old = state.pages.age()
            state.isWatched = !state.pages.isEmpty
            return (blocks: old, isWatched: state.isWatched)
        }
        giveBack(old.blocks)
        return old.isWatched
    }

    private func giveBack(_ blocks: [IdlePages.Block]) {
        for block in blocks {
            if let base = UnsafeMutableRawPointer(bitPattern: block.address) { unmap(base, block.length) }
        }
    }
}
#endif
