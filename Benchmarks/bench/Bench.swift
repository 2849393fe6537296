import Foundation

/// The `bench` program.
@main
struct Bench {
    private let options: Options

    static func main() async {
        // URLSession leaves the signal to the program. Its default action would end a run of many minutes when a
        // baseline or a server writes to a connection that the other side has closed.
        signal(SIGPIPE, SIG_IGN)
        do {
            let bench = Bench(options: try Options(Array(CommandLine.arguments.dropFirst())))
            exit(await bench.run())
        } catch {
            printError("\(error.reason)\n\(Options.usage)")
            exit(2)
        }
    }

    private func run() async -> Int32 {
        switch options.action {
        case .help:
            print(Options.usage)
            return 0
        case .selfCheck: return await SelfCheck().run() ? 0 : 1
        case .child(let role, let name, let folder): return await runChild(role, name, folder)
        case .hitRatio(let folder): return writeHitRatios(to: folder)
        case .scroll(let folder): return await writeScroll(to: folder)
        case .serverSide(let folder): return await writeServerSide(to: folder)
        case .report(let folder): return writeReport(to: folder)
        case .growth(let folder): return await writeGrowth(to: folder)
        case .gate(let path): return await passGate(path)
        case .worker(let proxy, let directory): return await runWorker(proxy, directory)
        case .list, .run: break
        }
        let cases = Suites.all.filter { options.selects($0.name) }
        guard !cases.isEmpty else {
            printError("no case begins with \(options.filters.joined(separator: " or "))")
            return 2
        }
        if options.action == .list {
            list(cases)
            return 0
        }
        guard canWriteReport() else { return 2 }
        return await measure(cases)
    }

    private func list(_ cases: [BenchCase]) {
        let table = Table.list(of: cases)
        print(table.header)
        for benchCase in cases { print(table.row(benchCase)) }
    }

    private func measure(_ cases: [BenchCase]) async -> Int32 {
        #if DEBUG
        printError("this is a debug build: its figures mean nothing, use -c release")
        #endif
        let machine = Machine.current()
        let table = Table.results(of: cases)
        var results: [CaseResult] = []
        var failures: [String: String] = [:]
        show(table.header)
        for benchCase in cases {
            do {
                let reference = try await reference(of: benchCase, in: results)
                let measurement = try await measure(benchCase)
                guard let result = CaseResult(benchCase, measurement, reference: reference) else { continue }
                results.append(result)
                show(table.row(result, of: benchCase))
            } catch {
                printError("\(benchCase.name) failed: \(error)")
                failures[benchCase.name] = "\(error)"
            }
        }
        let report = Report(
            machine: machine, command: command, versions: Versions.current(), failures: failures, results: results)
        let isReportWritten = write(report)
        let written = writeClassic(results) && isReportWritten
        let missed = results.contains { $0.met == false }
        return results.count < cases.count || !written || (options.strict && missed) ? 1 : 0
    }

    private var command: String { (["bench"] + CommandLine.arguments.dropFirst()).joined(separator: " ") }

    /// The ratio of the case that a target refers to: from this run, or measured now if necessary.
    private func reference(of benchCase: BenchCase, in results: [CaseResult]) async throws -> Double {
        guard let name = benchCase.timesRatioOf else { return 1 }
        if let ratio = results.first(where: { $0.name == name })?.ratio { return ratio }
        guard let other = Suites.all.first(where: { $0.name == name }), let ratio = try await measure(other).ratio
        else {
            throw BenchError("\(name) gave no ratio")
        }
        return ratio
    }

    /// Prints a line immediately, even into a pipe, so that a long run can be watched.
    private func show(_ line: String) {
        print(line)
        fflush(nil)
    }

    private func measure(_ benchCase: BenchCase) async throws -> Measurement {
        let budget = options.quick ? Budget.quick : Budget.full
        switch benchCase.kind {
        case .timed(let timed): return try await TimedRunner(budget: budget).measure(timed)
        case .peak(let peak): return try await PeakRunner(budget: budget).measure(benchCase.name, peak)
        case .counted(let counted): return try await counted.count()
        }
    }

    /// Whether the report can be written. This is checked before a long run, whose results would otherwise be lost.
    private func canWriteReport() -> Bool {
        guard let path = options.jsonPath else { return true }
        let directory = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
        guard !FileManager.default.isWritableFile(atPath: directory) else { return true }
        printError("cannot write \(path): there is no directory \(directory) to write to")
        return false
    }

    private func write(_ report: Report) -> Bool {
        guard let path = options.jsonPath else { return true }
        do {
            try report.json().write(to: URL(filePath: path))
            return true
        } catch {
            printError("cannot write \(path): \(error)")
            return false
        }
    }

    private func writeClassic(_ results: [CaseResult]) -> Bool {
        guard let folder = options.classicFolder else { return true }
        let table = ClassicTable(results)
        return write(ClassicPage(table: table).text, ClassicPicture(table: table).text, "classic", to: folder)
    }

    private func passGate(_ path: String) async -> Int32 {
        do {
            let limits = try GateLimit.limits(in: String(contentsOf: URL(filePath: path), encoding: .utf8))
            return await CountGate(limits: limits, cases: Suites.all).run() ? 0 : 1
        } catch {
            printError("cannot read the limits in \(path): \(error)")
            return 2
        }
    }

    private func writeHitRatios(to folder: String) -> Int32 {
        do {
            let table = try ReplayTable.shared.get()
            let (page, picture) = (HitRatioPage(table: table).text, HitRatioPicture(table: table).text)
            return write(page, picture, "memory-hit-ratio", to: folder) ? 0 : 1
        } catch {
            printError("cannot replay the traces: \(error)")
            return 1
        }
    }

    private func writeScroll(to folder: String) async -> Int32 {
        do {
            let (with, without) = try await PrefetchCases.scrolls.value
            let page = ScrollPage(with: with, without: without)
            return write(page.text, page.picture, "scroll", to: folder) ? 0 : 1
        } catch {
            printError("cannot scroll: \(error)")
            return 1
        }
    }

    private func writeReport(to folder: String) -> Int32 {
        do {
            let report = try Report.read(URL(filePath: folder).appending(path: "latest.json"))
            let chart = ReportChart(report: report).text
            return write([("README.md", ReportPage(report: report).text), ("report.svg", chart)], to: folder) ? 0 : 1
        } catch {
            printError("cannot read latest.json in \(folder): \(error)")
            return 1
        }
    }

    private func writeGrowth(to folder: String) async -> Int32 {
        do {
            let rows = try await Growth.measure()
            let page = GrowthPage(machine: .current(), rows: rows).text
            return write(page, GrowthChart(rows: rows).text, "growth", to: folder) ? 0 : 1
        } catch {
            printError("cannot measure the growth: \(error)")
            return 1
        }
    }

    private func writeServerSide(to folder: String) async -> Int32 {
        do {
            let result = try await ServerSideExperiment.run()
            let (page, picture) = (ServerSidePage(result: result).text, ServerSidePicture(result: result).text)
            guard write(page, picture, "server-side", to: folder) else { return 1 }
            if !result.isGood { printError("not all went as it should: see server-side.md in \(folder)") }
            return result.isGood ? 0 : 1
        } catch {
            printError("cannot run the processes: \(error)")
            return 1
        }
    }

    private func write(_ page: String, _ picture: String, _ name: String, to folder: String) -> Bool {
        write([("\(name).md", page), ("\(name).svg", picture)], to: folder)
    }

    private func write(_ files: [(name: String, text: String)], to folder: String) -> Bool {
        do {
            for file in files { try Data(file.text.utf8).write(to: URL(filePath: folder).appending(path: file.name)) }
            return true
        } catch {
            printError("cannot write to \(folder): \(error)")
            return false
        }
    }

    private func runChild(_ role: ChildRole, _ name: String, _ folder: String) async -> Int32 {
        guard case .peak(let peak) = Suites.all.first(where: { $0.name == name })?.kind else {
            printError("no peak case is named \(name)")
            return 2
        }
        do {
            print(try await PeakChild(role: role, folder: folder).run(peak).line, terminator: "")
            return 0
        } catch {
            printError("\(name) (\(role)) failed: \(error)")
            return 1
        }
    }

    private func runWorker(_ proxy: String, _ directory: String) async -> Int32 {
        guard let url = URL(string: proxy) else {
            printError("\(proxy) is no URL")
            return 2
        }
        await PictureWorker(proxy: url, directory: URL(filePath: directory, directoryHint: .isDirectory)).run()
        return 0
    }
}
