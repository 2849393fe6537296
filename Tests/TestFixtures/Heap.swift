#if canImport(Glibc)
import Foundation
import Glibc
import Testing

/// The memory of this process, as reported by the C library and the kernel. Only for processes that do nothing else.
enum Heap {
    /// The number of bytes that were allocated and not freed, on all threads.
    static func bytesInUse() throws -> Int {
        typealias Tell = @convention(c) (CInt, UnsafeMutablePointer<FILE>) -> CInt
        let tell = unsafeBitCast(try #require(dlsym(dlopen(nil, RTLD_NOW), "malloc_info")), to: Tell.self)
        var (text, count): (UnsafeMutablePointer<CChar>?, Int) = (nil, 0)
        let stream = try #require(open_memstream(&text, &count))
        defer { free(text) }
        let result = tell(0, stream)
        fclose(stream)
        try #require(result == 0)
        // The sums over all arenas come last.
        let sums = String(cString: try #require(text)).split(separator: "</heap>").last ?? ""
        return try size("current", sums) - size("fast", sums) - size("rest", sums) + size("mmap", sums)
    }

    private static func size(_ name: String, _ sums: Substring) throws -> Int {
        let line = sums.split(separator: "\n").first { $0.contains("type=\"\(name)\"") }
        let value = line?.split(separator: "size=\"").last?.split(separator: "\"").first.flatMap { Int($0) }
        return try #require(value, "\(name)")
    }

    /// Gives unused memory back to the system.
    static func trim() throws {
        typealias Trim = @convention(c) (Int) -> CInt
        _ = unsafeBitCast(try #require(dlsym(dlopen(nil, RTLD_NOW), "malloc_trim")), to: Trim.self)(0)
    }

    /// Returns the number of bytes by which the resident memory grew, at its peak, while `body` ran.
    static func peak(of body: () throws -> Void) throws -> Int {
        try trim()
        // Resets the peak (proc_pid_clear_refs(5)).
        try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
        let before = try status("VmRSS")
        try body()
        return try status("VmHWM") - before
    }

    private static func status(_ name: String) throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
        let kibibytes = line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }
        return try #require(kibibytes, "\(name)") * 1_024
    }
}
#endif
