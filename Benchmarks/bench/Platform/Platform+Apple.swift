#if canImport(Darwin)
import Foundation

/// The harness's system functions, on Apple's systems.
enum Platform {
    /// The path of this program.
    static let executablePath = Bundle.main.executablePath ?? CommandLine.arguments[0]

    /// The processor's model, as named by the kernel.
    static func cpuModel() -> String {
        var model = [UInt8](repeating: 0, count: 256)
        var size = model.count
        guard sysctlbyname("machdep.cpu.brand_string", &model, &size, nil, 0) == 0 else { return "unknown" }
        return String(decoding: model.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// The largest resident memory of this process so far, in bytes.
    static func peakBytes() throws -> Int {
        var usage = rusage()
        guard getrusage(RUSAGE_SELF, &usage) == 0 else { throw SystemError.last("getrusage") }
        return bytes(ofMaxRSS: usage.ru_maxrss)
    }

    #if os(macOS)
    /// The number of threads of this process.
    static func threadCount() throws -> Int {
        var info = proc_taskinfo()
        let size = Int32(MemoryLayout<proc_taskinfo>.size)
        guard proc_pidinfo(getpid(), PROC_PIDTASKINFO, 0, &info, size) == size else {
            throw SystemError.last("proc_pidinfo")
        }
        return Int(info.pti_threadnum)
    }
    #else
    /// Throws, because only macOS reports the number.
    static func threadCount() throws -> Int { throw SystemError(call: "proc_pidinfo", code: ENOTSUP) }
    #endif

    /// The processor time of this process so far, user and system, of all threads.
    static func processorNanoseconds() throws -> Int {
        var time = timespec()
        guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { throw SystemError.last("clock_gettime") }
        return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
    }

    /// Raises the descriptor limit of this process to `count`, if its hard limit allows that.
    static func raiseDescriptorLimit(to count: Int) -> Bool {
        var limit = rlimit()
        guard getrlimit(RLIMIT_NOFILE, &limit) == 0 else { return false }
        if limit.rlim_cur < count { limit.rlim_cur = min(rlim_t(count), limit.rlim_max) }
        return setrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur >= count
    }

    /// Converts `ru_maxrss` to bytes; on Apple's systems it already counts bytes.
    static func bytes(ofMaxRSS value: Int) -> Int { value }
}
#endif
