/// The command line.
struct Options: Equatable {
    /// The action that the program performs.
    enum Action: Equatable {
        case run
        case list
        case selfCheck
        /// Writes the table and the chart of the replayed traces.
        case hitRatio(folder: String)
        /// Writes the table and the chart of a scrolled feed.
        case scroll(folder: String)
        /// Writes the tables and the chart of loaders behind a caching proxy.
        case serverSide(folder: String)
        /// Writes the page and the chart of the results that a folder has.
        case report(folder: String)
        /// Writes the table and the chart of cost growth.
        case growth(folder: String)
        /// Compares counts with the limits in a file.
        case gate(path: String)
        case help
        /// Hidden: a request from a parent to its child process.
        case child(ChildRole, name: String, folder: String)
        /// Hidden: a process that loads images for its parent.
        case worker(proxy: String, directory: String)
    }

    /// An invalid command line; the text gives the reason.
    struct UsageError: Error, Equatable {
        let reason: String
    }

    static let childOption = "--peak-child"
    static let workerOption = "--picture-worker"

    static let usage = """
        usage: bench [--list] [--filter PREFIX] [--quick] [--json FILE] [--strict] [--self-check]
                     [--hit-ratio FOLDER] [--scroll FOLDER] [--classic FOLDER] [--server-side FOLDER]
                     [--report FOLDER] [--growth FOLDER] [--gate FILE]

          --list           print the cases with their baselines and targets, and measure nothing
          --filter PREFIX  only the cases whose names begin with PREFIX, such as memory/; may be repeated
          --quick          at most 5 seconds for each case, instead of about 20
          --json FILE      write the results to FILE too
          --strict         exit with status 1 when a target is missed
          --self-check     check the harness itself, and measure nothing
          --hit-ratio FOLDER
                           replay the traces, and write a table and a chart of them to FOLDER
          --scroll FOLDER  scroll through a feed with and without prefetching, and write a table and a chart of that
                           to FOLDER
          --classic FOLDER
                           only the cases classic/, and write a table and a chart of them to FOLDER too
          --server-side FOLDER
                           load through a caching proxy in several processes, some of which are killed, and write
                           tables and a chart of that to FOLDER; takes two minutes, and needs nginx
          --report FOLDER  write a page and a chart of the results in FOLDER/latest.json to FOLDER, and measure nothing
          --growth FOLDER  measure how costs grow with the number of entries, waiters and queued downloads, and write a
                           table and a chart of that to FOLDER
          --gate FILE      compare counts with the limits in FILE, and exit with status 1 when one is exceeded
          --help           print this

        A time is per operation, and its p95 is that of the samples, each a mean over many operations. A ratio is
        ours to the baseline, both measured in turn in this run; lower is better. Allocations are allocator calls
        per operation of ours. Cases that replay a trace count misses in percent, the same in each run.
        """

    var action = Action.run
    /// Prefixes of the cases to measure; empty means all cases.
    var filters: [String] = []
    var quick = false
    var strict = false
    var jsonPath: String?
    /// The folder for the table and the chart of the comparison with the classic design.
    var classicFolder: String?

    func selects(_ name: String) -> Bool { filters.isEmpty || filters.contains { name.hasPrefix($0) } }

    /// - Parameter arguments: The arguments without the program's name.
    init(_ arguments: [String]) throws(UsageError) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--list": action = .list
            case "--self-check": action = .selfCheck
            case "--help", "-h": action = .help
            case "--quick": quick = true
            case "--strict": strict = true
            case "--filter": filters.append(try Self.value(of: argument, from: &rest))
            case "--json": jsonPath = try Self.value(of: argument, from: &rest)
            case "--classic":
                classicFolder = try Self.value(of: argument, from: &rest)
                filters = [ClassicCases.prefix]
            case "--hit-ratio": action = .hitRatio(folder: try Self.value(of: argument, from: &rest))
            case "--scroll": action = .scroll(folder: try Self.value(of: argument, from: &rest))
            case "--server-side": action = .serverSide(folder: try Self.value(of: argument, from: &rest))
            case "--report": action = .report(folder: try Self.value(of: argument, from: &rest))
            case "--growth": action = .growth(folder: try Self.value(of: argument, from: &rest))
            case "--gate": action = .gate(path: try Self.value(of: argument, from: &rest))
            case Self.workerOption: action = try Self.worker(from: &rest)
            case Self.childOption: action = try Self.child(from: &rest)
            default: throw UsageError(reason: "unknown argument \(argument)")
            }
        }
    }

    private static func value(of option: String, from rest: inout ArraySlice<String>) throws(UsageError) -> String {
        // If a value is missing, the next option must not be taken for it.
        guard let value = rest.popFirst(), !value.isEmpty, !value.hasPrefix("--") else {
            throw UsageError(reason: "\(option) needs a value")
        }
        return value
    }

    private static func child(from rest: inout ArraySlice<String>) throws(UsageError) -> Action {
        guard let role = rest.popFirst().flatMap(ChildRole.init(rawValue:)), let name = rest.popFirst(),
            let folder = rest.popFirst()
        else {
            throw UsageError(reason: "\(childOption) is not for use by hand")
        }
        return .child(role, name: name, folder: folder)
    }

    private static func worker(from rest: inout ArraySlice<String>) throws(UsageError) -> Action {
        guard let proxy = rest.popFirst(), let directory = rest.popFirst() else {
            throw UsageError(reason: "\(workerOption) is not for use by hand")
        }
        return .worker(proxy: proxy, directory: directory)
    }
}
