/// Makes the previews of one transfer and variant, for all readers.
///
/// It has no Task of its own: one of the readers that wait for the next preview makes it. When that reader leaves,
/// another takes its place; when none is left, nothing is made.
actor PreviewMaker {
    /// A preview and its number among those of this maker.
    struct Made {
        let number: Int
        let preview: ImagePreview
    }

    private let serial: UInt64
    private let work: PreviewWork
    private let gate: DecodeGate
    private let time: TimeSource
    private let begun: Duration
    private var budget: PreviewBudget
    private var latest: Made?
    private var isBusy = false
    private var isOver = false
    private var waiting: [Promise<Void>] = []

    init(
        _ transfer: TransferProgress, _ work: PreviewWork, _ gate: DecodeGate, _ time: TimeSource,
        _ settings: ImageLoader.Configuration.Previews
    ) {
        serial = transfer.serial
        self.work = work
        self.gate = gate
        self.time = time
        begun = time.now()
        budget = PreviewBudget(settings, continuing: transfer.received)
    }

    /// Waits for a preview after number `shown`, and returns the newest one. Returns nil if there will be none, because
    /// the transfer has ended, or if the calling Task is cancelled.
    ///
    /// - Parameter control: The caller's control. Its load may end before the transfer does.
    func next(after shown: Int, _ control: LoadControl) async -> Made? {
        while !Task.isCancelled, control.transfer?.serial == serial {
            if let latest, latest.number > shown { return latest }
            if isOver { return nil }
            await advance(control)
        }
        return nil
    }

    /// Makes a preview, or waits for the reader that makes one. Returns when the transfer ends, which cancels the work.
    private func advance(_ control: LoadControl) async {
        await withTaskGroup(of: Void.self) { [serial] group in
            group.addTask { await self.isBusy ? self.change() : self.lead(control) }
            group.addTask { await control.end(of: serial) }
            await group.next()
            group.cancelAll()
        }
    }

    // MARK: Waiting for the reader that works

    private func change() async {
        guard isBusy else { return }
        let promise = Promise<Void>()
        waiting.append(promise)
        await promise.value { promise.end(()) }
    }

    // MARK: Working

    /// Works until there is a preview, there can't be another one, or the Task is cancelled.
    private func lead(_ control: LoadControl) async {
        guard !isBusy else { return }
        isBusy = true
        var cursor = DownloadProgress.Cursor()
        while !Task.isCancelled, !isOver, let transfer = control.transfer, transfer.serial == serial {
            budget.receive(transfer.received, of: transfer.expected)
            switch budget.decision(at: time.now() - begun) {
            case .never: isOver = true
            case .waitForBytes: _ = await control.next(after: &cursor)
            case .wait(let delay): _ = await time.sleep(for: delay)
            case .now: if await make(transfer) { return finish() }
            }
        }
        finish()
    }

    private func finish() {
        isBusy = false
        for promise in exchange(&waiting, with: []) { promise.end(()) }
    }

    /// Tries to make a preview. Returns whether there is a new one.
    private func make(_ transfer: TransferProgress) async -> Bool {
        let turn = await gate.whenIdle { [work, time] cancellation in
            let start = time.now()
            let outcome = work.run(transfer, cancellation)
            return (outcome: outcome, cost: time.now() - start)
        }
        let now = time.now() - begun
        guard let turn else {
            budget.skip(at: now)
            return false
        }
        switch turn.outcome {
        case .preview(let preview):
            budget.spend(turn.cost, at: now, on: preview.receivedBytes)
            latest = Made(number: (latest?.number ?? 0) + 1, preview: preview)
            return true
        case .nothing: budget.spend(turn.cost, at: now, on: transfer.received)
        case .stopped: budget.spend(turn.cost, at: now)
        case .failed: isOver = true
        }
        return false
    }
}
