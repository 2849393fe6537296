import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A program that reads lines and writes lines.
///
/// Its standard error is part of its output. It should exit when its input ends, so that it doesn't outlive this
/// process; when the value is deallocated, it is killed.
package final class LineProcess: Sendable {
    private struct Output {
        var lines: [String] = []
        var hasEnded = false
    }

    private let process: ChildProcess
    private let input: FileHandle
    private let output = Handshake(Output())

    /// Starts `command`, whose first element is a path, in `directory`.
    package init(_ command: [String], in directory: String) throws {
        let (input, output) = (Pipe(), Pipe())
        // If another program inherited this end of the pipe, closing it here wouldn't end this program's input.
        _ = fcntl(input.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
        self.input = input.fileHandleForWriting
        process = try ChildProcess(
            command, in: directory, input: input.fileHandleForReading.fileDescriptor,
            output: output.fileHandleForWriting.fileDescriptor)
        try input.fileHandleForReading.close()
        try output.fileHandleForWriting.close()
        let thread = Thread { [lines = self.output, reading = output.fileHandleForReading] in
            Self.read(reading.fileDescriptor, into: lines)
        }
        thread.start()
    }

    deinit { process.kill() }

    /// Writes lines to the program's input. Throws if the program has exited; this process has to ignore SIGPIPE.
    package func send(_ lines: [String]) throws {
        try input.write(contentsOf: Data(lines.map { $0 + "\n" }.joined().utf8))
    }

    /// Waits for the next line of the program's output; nil at its end.
    package func nextLine() async throws -> String? {
        try await output.wait { output -> String?? in
            if !output.lines.isEmpty { return output.lines.removeFirst() }
            return output.hasEnded ? .some(nil) : nil
        }
    }

    /// Kills the program immediately, as a crash would (SIGKILL). Its output so far can still be read.
    package func kill() { process.kill() }

    /// Ends the program's input, waits for the end of its output, and returns its exit status, or the negative number
    /// of the signal that ended it.
    package func end() async throws -> Int32 {
        try input.close()
        _ = try await output.wait { $0.hasEnded ? true : nil }
        return process.waitUntilExit()
    }

    private static func read(_ descriptor: Int32, into output: Handshake<Output>) {
        var chunk = [UInt8](repeating: 0, count: 4_096)
        var rest: [UInt8] = []
        while true {
            let count = systemRead(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            var lines = (rest + chunk[..<count]).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            rest = Array(lines.removeLast())
            let texts = lines.map { String(decoding: $0, as: UTF8.self) }
            output.update { $0.lines += texts }
        }
        let last = rest.isEmpty ? [] : [String(decoding: rest, as: UTF8.self)]
        output.update { output in
            output.lines += last
            output.hasEnded = true
        }
    }
}

/// The system's function, which is hidden by the method of the same name.
private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
    read(descriptor, bytes, count)
}
