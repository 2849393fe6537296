#if os(Linux)
import Foundation

/// The harness's system functions, on Linux.
enum Platform {
    /// The path of this program, valid even after its file was replaced.
    static let executablePath = "/proc/self/exe"

    /// The processor's model, as named by the kernel.
    static func cpuModel() -> String {
        guard let text = try? readText("/proc/cpuinfo") else { return "unknown" }
        return field("model name", of: text) ?? "unknown"
    }

    /// The largest resident memory of this process so far, in bytes.
    ///
    /// It covers only this program: `ru_maxrss` would start at the memory of the process before it executed this
    /// program.
    static func peakBytes() throws -> Int { try status("VmHWM") * 1_024 }

    /// The number of threads of this process.
    static func threadCount() throws -> Int { try status("Threads") }

    private static func status(_ name: String) throws -> Int {
        let status = try readText("/proc/self/status")
        guard let value = field(name, of: status)?.split(separator: " ").first, let number = Int(value) else {
            throw BenchError("/proc/self/status has no \(name)")
        }
        return number
    }

    /// The processor time of this process so far, user and system, of all threads.
    static func processorNanoseconds() throws -> Int {
        var time = timespec()
        guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { throw SystemError.last("clock_gettime") }
        return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
    }

    /// Raises the descriptor limit of this process to `count`, if its hard limit allows that.
    static func raiseDescriptorLimit(to count: Int) -> Bool {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return false }
        if limit.rlim_cur < count { limit.rlim_cur = min(rlim_t(count), limit.rlim_max) }
        return setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 && limit.rlim_cur >= count
    }

    /// Converts `ru_maxrss` to bytes.
    static func bytes(ofMaxRSS value: Int) -> Int { value * 1_024 }

    private static func field(_ name: String, of text: String) -> String? {
        for line in text.split(separator: "\n") where line.hasPrefix(name) {
            guard let colon = line.firstIndex(of: ":") else { continue }
            return line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        return nil
    }
}
#endif
