import CAllocationCounter
import Foundation

/// Runs a program to its end.
struct ChildProcess {
    /// The result of a finished program.
    struct Outcome {
        let output: [UInt8]
        /// `ru_maxrss`, in bytes.
        let maxRSS: Int
        /// User and system time.
        let processorNanoseconds: Int
    }

    let path: String
    let arguments: [String]

    /// Waits for the program, which reads no input; throws if it can't be started or reports a failure.
    ///
    /// Blocks the calling thread, because nothing else may run while a process is measured.
    func run(capturingOutput: Bool) throws -> Outcome {
        guard capturingOutput else {
            let process = try spawn(outputTo: -1)
            return try outcome(of: process, output: [])
        }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemError.last("pipe") }
        defer { close(ends[0]) }
        // The child must not inherit the reading end.
        _ = fcntl(ends[0], F_SETFD, FD_CLOEXEC)
        let started = Result { try spawn(outputTo: ends[1]) }
        close(ends[1])
        let process = try started.get()
        let output = Result { try readToEnd(ends[0]) }
        return try outcome(of: process, output: output.get())
    }

    private func spawn(outputTo descriptor: Int32) throws -> pid_t {
        var strings = ([path] + arguments).map { strdup($0) } + [nil]
        defer { for string in strings { free(string) } }
        let process = benchmark_spawn(path, &strings, descriptor)
        guard process >= 0 else { throw SystemError.last("start \(path)") }
        return process
    }

    private func outcome(of process: pid_t, output: [UInt8]) throws -> Outcome {
        var status: Int32 = 0
        var usage = rusage()
        while wait4(process, &status, 0, &usage) < 0 {
            guard errno == EINTR else { throw SystemError.last("wait4") }
        }
        guard status == 0 else {
            let signal = status & 0x7F
            let reason = signal == 0 ? "status \((status >> 8) & 0xFF)" : "signal \(signal)"
            throw BenchError("\(path) ended with \(reason)\(status >> 8 == 127 ? ", was it found?" : "")")
        }
        return Outcome(
            output: output, maxRSS: Platform.bytes(ofMaxRSS: usage.ru_maxrss),
            processorNanoseconds: usage.processorNanoseconds)
    }
}

extension rusage {
    /// User and system time, of all threads.
    var processorNanoseconds: Int {
        (Int(ru_utime.tv_sec) + Int(ru_stime.tv_sec)) * 1_000_000_000
            + (Int(ru_utime.tv_usec) + Int(ru_stime.tv_usec)) * 1_000
    }
}
