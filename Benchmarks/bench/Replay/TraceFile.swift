import Foundation

/// A trace of lines "time id size", plain or compressed with xz.
enum TraceFile {
    static let folder = ProcessInfo.processInfo.environment["ALCEDO_TRACES"]

    /// The names and paths of the files named by the environment.
    ///
    /// ALCEDO_TRACES is a folder with `adaptsize-web.trace.xz` (from Caffeine's simulator); ALCEDO_TRACE_FILES lists
    /// any other files, separated by colons.
    static let all: [(name: String, path: String)] = {
        let environment = ProcessInfo.processInfo.environment
        var paths = environment["ALCEDO_TRACE_FILES"]?.split(separator: ":").map(String.init) ?? []
        if let folder { paths.insert("\(folder)/adaptsize-web.trace.xz", at: 0) }
        return paths.map { path in
            let file = path.split(separator: "/").last.map(String.init) ?? path
            return (file.replacingOccurrences(of: ".xz", with: "").replacingOccurrences(of: ".trace", with: ""), path)
        }
    }()

    /// Reads a trace. Objects are numbered in order of appearance, and have the size of their first request.
    static func read(_ name: String, _ path: String) throws -> Trace {
        let arguments = ["--decompress", "--stdout", "--force", path]
        let text = try ChildProcess(path: "xz", arguments: arguments).run(capturingOutput: true).output
        var numbers: [Substring: Int] = [:]
        var requests: [Int] = []
        var sizes: [Int] = []
        for line in String(decoding: text, as: UTF8.self).split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count == 3, let size = Int(fields[2]) else {
                throw BenchError("\(path) has a line that is not \"time id size\": \(line)")
            }
            if let number = numbers[fields[1]] {
                requests.append(number)
            } else {
                numbers[fields[1]] = sizes.count
                requests.append(sizes.count)
                sizes.append(max(1, size))
            }
        }
        return Trace(name: name, requests: requests, sizes: sizes)
    }
}
