/// A named measurement, with its baseline and its target.
struct BenchCase: Sendable {
    /// The quantity that is measured.
    enum Kind: Sendable {
        case timed(TimedCase)
        case peak(PeakCase)
        case counted(CountedCase)
    }

    /// `suite/case`.
    let name: String
    /// The largest ratio of ours to the baseline, or the largest value of ours if there is no baseline.
    let target: Double?
    /// The name of a reference case. If there is one, the target is the factor by which the ratio may exceed the ratio
    /// of that case.
    var timesRatioOf: String?
    let kind: Kind

    var baselineName: String? {
        switch kind {
        case .timed(let timed): timed.baseline?.name
        case .peak(let peak): peak.baseline?.name
        case .counted(let counted): counted.baselineName
        }
    }

    var unit: MeasuredUnit {
        switch kind {
        case .timed: .nanoseconds
        case .peak(let peak): peak.quantity.unit
        case .counted(let counted): counted.unit
        }
    }

    var isPeak: Bool {
        if case .peak(let peak) = kind { peak.quantity == .peakBytes } else { false }
    }

    /// A case that measures time per operation.
    ///
    /// - Parameters:
    ///   - reference: The name of a case; the target is then a multiple of that case's ratio.
    ///   - operationsPerCall: The number of operations in one iteration of `run`, on both sides.
    ///   - iterationsPerSample: A fixed number of iterations for each sample, for work that depends on it. If nil, it
    ///     is calibrated so that a sample is long enough for the clock and short enough for many samples.
    ///   - time: Elapsed time, or the processor time of the whole process.
    static func timed(
        _ name: String, target: Double? = nil, timesRatioOf reference: String? = nil, operationsPerCall: Int = 1,
        iterationsPerSample: Int? = nil, time: MeasuredTime = .elapsed, ours: @escaping Workload.SetUp,
        baseline: TimedCase.Baseline? = nil
    ) -> BenchCase {
        let timed = TimedCase(
            operationsPerCall: operationsPerCall, iterationsPerSample: iterationsPerSample, time: time, ours: ours,
            baseline: baseline)
        return BenchCase(name: name, target: target, timesRatioOf: reference, kind: .timed(timed))
    }

    /// A case that measures the peak memory of a process that performs `ours` once; its name ends in `-peak`.
    static func peak(
        _ name: String, target: Double? = nil, prepare: PeakCase.Body? = nil, ours: @escaping PeakCase.Body,
        baseline: PeakCase.Baseline? = nil
    ) -> BenchCase {
        BenchCase(name: name, target: target, kind: .peak(PeakCase(prepare: prepare, ours: ours, baseline: baseline)))
    }

    /// A case that measures the processor time of a process that performs `ours` once, from its start to its end.
    static func process(
        _ name: String, target: Double? = nil, prepare: PeakCase.Body? = nil, ours: @escaping PeakCase.Body,
        baseline: PeakCase.Baseline
    ) -> BenchCase {
        let process = PeakCase(quantity: .processorTime, prepare: prepare, ours: ours, baseline: baseline)
        return BenchCase(name: name, target: target, kind: .peak(process))
    }

    /// A case that counts the threads of a process that has performed `ours` once.
    static func threads(
        _ name: String, target: Double? = nil, ours: @escaping PeakCase.Body, baseline: PeakCase.Baseline
    ) -> BenchCase {
        let threads = PeakCase(quantity: .threads, prepare: nil, ours: ours, baseline: baseline)
        return BenchCase(name: name, target: target, kind: .peak(threads))
    }

    /// A case that does its own rounds, or counts parts of a whole. The unit is percent unless `unit` says otherwise.
    static func counted(
        _ name: String, target: Double? = nil, baselineName: String? = nil,
        unit: MeasuredUnit = .percent, count: @escaping @Sendable () async throws -> Measurement
    ) -> BenchCase {
        let counted = CountedCase(baselineName: baselineName, unit: unit, count: count)
        return BenchCase(name: name, target: target, kind: .counted(counted))
    }
}
