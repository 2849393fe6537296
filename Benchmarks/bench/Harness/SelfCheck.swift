import Alcedo
import AlcedoTestSupport
import CAllocationCounter
import Foundation

/// Checks the parts of the harness whose results are known.
struct SelfCheck {
    /// Reports each failure on standard error; returns true if there was none.
    func run() async -> Bool {
        var failures: [String] = []
        let checks = statistics() + calibration() + formats() + options() + limits() + reports() + names()
        for (what, holds) in checks where !holds { failures.append(what) }
        do {
            let counts = try await allocations() + instructions() + gate()
            for (what, holds) in counts where !holds { failures.append(what) }
        } catch {
            failures.append("counting: \(error)")
        }
        for failure in failures { printError("self-check failed: \(failure)") }
        if failures.isEmpty { print("self-check: all is well") }
        return failures.isEmpty
    }

    private typealias Check = (what: String, holds: Bool)

    private func statistics() -> [Check] {
        let twenty = Statistics((1...20).map(Double.init).shuffled())
        var measurement = Measurement()
        measurement.ours = [10, 40, 60]
        measurement.baseline = [10, 20, 10]
        var counted = measurement
        counted.isCounted = true
        return [
            ("median of none", Statistics([]).median == nil),
            ("median of an odd number", Statistics([3, 1, 2]).median == 2),
            ("median of an even number", twenty.median == 10.5),
            ("p95 of 20 is the 19th", twenty.p95 == 19),
            ("p95 of 21 is the 20th", Statistics((1...21).map(Double.init)).p95 == 20),
            ("p95 of one", Statistics([7]).p95 == 7),
            ("p99 of 200 is the 198th", Statistics((1...200).map(Double.init)).percentile(99) == 198),
            ("the ratio is the median of the rounds'", measurement.ratio == 2),
            ("that of parts is their mean", counted.ratio == 3),
            ("no baseline, no ratio", Measurement(ours: [1]).ratio == nil),
            ("MD5 of nothing", MD5.hex("") == "d41d8cd98f00b204e9800998ecf8427e"),
            ("MD5 of one block", MD5.hex("message digest") == "f96b697d7cb7938d525a2f31aaf161d0"),
            ("MD5 of two", MD5.hex(String(repeating: "1234567890", count: 8)) == "57edf4a22be3c955ac49da2e2107b67a"),
            ("SeededRandom is seeded", Key128.keys(3, seed: 5) == Key128.keys(3, seed: 5)),
        ]
    }

    private func calibration() -> [Check] {
        let calibration = Calibration()
        let short = Duration.microseconds(15)
        let long = Duration.milliseconds(20)
        return [
            ("long enough stays", calibration.next(after: 5, faster: long, slower: long) == nil),
            ("a slow side stops the growth", calibration.next(after: 5, faster: short, slower: long * 3) == nil),
            ("growth is bounded", calibration.next(after: 1, faster: short, slower: short) == 100),
            ("nothing measured still ends", calibration.next(after: 1 << 30, faster: .zero, slower: .zero) == nil),
        ]
    }

    private func formats() -> [Check] {
        [
            ("ns", NumberFormat.quantity(21.34, .nanoseconds) == "21.3 ns"),
            ("µs", NumberFormat.quantity(4_049, .nanoseconds) == "4.05 µs"),
            ("rounding up to the next unit", NumberFormat.quantity(999.7, .nanoseconds) == "1.00 µs"),
            ("bytes", NumberFormat.quantity(512, .bytes) == "512 B"),
            ("a count", NumberFormat.quantity(1_234, .count) == "1234"),
            ("MB", NumberFormat.quantity(32_400_000, .bytes) == "32.4 MB"),
            ("an answer", PictureAnswer(line: pictureAnswer.line) == pictureAnswer),
            ("no answer", PictureAnswer(line: "picture 7 failed: it is gone") == nil),
            ("a child's report", ChildReport(output: Array("noise\(childReport.line)".utf8)) == childReport),
        ]
    }

    private let childReport = ChildReport(peakBytes: 4_096, processorNanoseconds: 7, threads: 3, allocations: nil)

    private let pictureAnswer = PictureAnswer(number: 7, source: .disk, asking: .asked, verdict: .right)

    private func options() -> [Check] {
        func fails(_ arguments: String...) -> Bool {
            (try? Options(arguments)) == nil
        }
        let filters = ["--filter", "memory/", "--filter", "disk/"]
        let all = try? Options(filters + ["--quick", "--json", "out.json", "--strict"])
        return [
            ("an unknown option", fails("--fast")),
            ("a stray argument", fails("memory/")),
            ("a missing value", fails("--filter")),
            ("an option is no value", fails("--json", "--quick")),
            ("no filter selects all", (try? Options([]))?.selects("disk/hit") == true),
            ("the filters", all?.selects("disk/hit") == true && all?.selects("decode/jpeg") == false),
            ("the flags", all?.quick == true && all?.strict == true && all?.action == .run),
            ("the file", all?.jsonPath == "out.json"),
            ("the list", (try? Options(["--list"]))?.action == .list),
            ("the classic design", (try? Options(["--classic", "Docs"]))?.filters == ["classic/"]),
            ("the pages", (try? Options(["--hit-ratio", "Docs"]))?.action == .hitRatio(folder: "Docs")),
            ("the report", (try? Options(["--report", "Docs"]))?.action == .report(folder: "Docs")),
            ("the growth", (try? Options(["--growth", "Docs"]))?.action == .growth(folder: "Docs")),
            ("the gate", (try? Options(["--gate", "limits.txt"]))?.action == .gate(path: "limits.txt")),
            ("the proxy", (try? Options(["--server-side", "Docs"]))?.action == .serverSide(folder: "Docs")),
        ]
    }

    private func limits() -> [Check] {
        func fails(_ text: String) -> Bool { (try? GateLimit.limits(in: text)) == nil }
        let limit = GateLimit(name: "a/b", quantity: .bytes, most: 7.5)
        return [
            ("a limit", (try? GateLimit.limits(in: "# why\n\na/b  bytes 7.5 # why\n")) == [limit]),
            ("a limit without a number", fails("a/b bytes")),
            ("an unknown quantity", fails("a/b seconds 7")),
        ]
    }

    private func reports() -> [Check] {
        let bare = BenchCase.timed("a/b", ours: { Workload { _ in } })
        let aimed = BenchCase.timed("a/b", target: 5, ours: { Workload { _ in } })
        let compared = BenchCase.timed(
            "a/b", target: 1, ours: { Workload { _ in } }, baseline: .init("c") { Workload { _ in } })
        let json = CaseResult(bare, Measurement(ours: [4])).flatMap { result in
            try? Report(machine: .current(), results: [result]).json()
        }
        let text = String(decoding: json ?? Data(), as: UTF8.self)
        let nullable = ["baseline_name", "baseline", "ratio", "target", "met", "allocations"]
        return [
            ("nulls are written", nullable.allSatisfy { text.contains("\"\($0)\" : null") }),
            ("a target without a baseline", CaseResult(aimed, Measurement(ours: [4]))?.met == true),
            ("a missed one", CaseResult(aimed, Measurement(ours: [6]))?.met == false),
            ("a ratio's target", CaseResult(compared, Measurement(ours: [4], baseline: [4]))?.met == true),
            ("a baseline of nothing", CaseResult(compared, Measurement(ours: [4], baseline: [0]))?.met == false),
            ("no samples, no result", CaseResult(bare, Measurement()) == nil),
        ]
    }

    private func names() -> [Check] {
        let all = Suites.all
        let unexplained = all.map(\.name).filter { name in
            CaseMeanings.all[name] == nil
                && !["memory/hit-ratio-", "classic/", "harness/"].contains { name.hasPrefix($0) }
        }
        return [
            ("the page explains all cases, but not \(unexplained)", unexplained.isEmpty),
            ("names are unique", Set(all.map(\.name)).count == all.count),
            ("names are suite/case", all.allSatisfy { $0.name.split(separator: "/").count == 2 }),
            ("peak cases, and no others, end in -peak", all.allSatisfy { $0.name.hasSuffix("-peak") == $0.isPeak }),
        ]
    }

    /// Checks that Swift's own allocations are counted, and that nothing else is.
    @concurrent
    private func allocations() async throws -> [Check] {
        guard allocation_counter_available() else { return [] }
        let iterations = 10_000
        let lookUps = MutexDictionary.lookUps()
        try await lookUps.run(1)
        let objects = try await AllocationCounter.count { try await HarnessCases.objects.run(iterations) }
        let none = try await AllocationCounter.count { try await lookUps.run(iterations) }
        let buffers = try await AllocationCounter.count {
            for _ in 0..<iterations { blackHole(UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 64)) }
        }
        return [
            ("one object is one allocation, not \(objects ?? -1) in \(iterations)", isNear(objects, iterations)),
            ("a look-up allocates nothing, not \(none ?? -1)", isNear(none, 0)),
            ("an aligned buffer is one allocation, not \(buffers ?? -1)", isNear(buffers, iterations)),
        ]
    }

    /// Checks that a workload that does twice as much takes twice as many instructions.
    private func instructions() async throws -> [Check] {
        let lookUps = MutexDictionary.lookUps()
        let twice = Workload { try await lookUps.run(2 * $0) }
        guard let once = try await InstructionCounter.count(lookUps),
            let double = try await InstructionCounter.count(twice)
        else { return [] }
        let isDouble = once > 20 && abs(double / once - 2) < 0.2
        return [("two look-ups are twice the instructions, not \(once) and \(double)", isDouble)]
    }

    /// Checks that the gate refuses counts above their limits, counts that can't be made, and unknown cases.
    private func gate() async throws -> [Check] {
        guard allocation_counter_available() else { return [] }
        func passes(_ name: String, _ quantity: GateLimit.Quantity, _ most: Double) async -> Bool {
            let limit = GateLimit(name: name, quantity: quantity, most: most)
            return await CountGate(limits: [limit], cases: HarnessCases.all, isQuiet: true).run()
        }
        return [
            ("a limit that is kept", await passes("harness/one-object", .allocations, 1.1)),
            ("one that isn't", await !passes("harness/one-object", .allocations, 0.9)),
            ("one of no case", await !passes("harness/no-object", .allocations, 1.1)),
            ("one of another quantity", await !passes("harness/one-object", .bytes, 1.1)),
        ]
    }

    /// Whether two counts are almost equal. The runtime may make a few allocations in the meantime.
    private func isNear(_ count: Int?, _ expected: Int) -> Bool {
        guard let count else { return false }
        return abs(count - expected) <= 20
    }
}
