import Foundation

extension Machine {
    static func current() -> Machine {
        var load = [0.0, 0.0, 0.0]
        let known = getloadavg(&load, 3)
        return Machine(
            cpu: Platform.cpuModel(), cores: ProcessInfo.processInfo.activeProcessorCount,
            memoryBytes: ProcessInfo.processInfo.physicalMemory, kernel: kernel(), swift: compilerVersion,
            date: Date().formatted(.iso8601), loadAverage: Array(load.prefix(max(0, Int(known)))))
    }

    private static func kernel() -> String {
        var names = utsname()
        guard uname(&names) == 0 else { return "unknown" }
        return [text(of: names.sysname), text(of: names.release), text(of: names.machine)].joined(separator: " ")
    }

    /// The text in one of `utsname`'s fields, which Swift imports as tuples of characters.
    private static func text<Field>(of field: Field) -> String {
        withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    /// A program can find its compiler's version only through conditions like these.
    private static var compilerVersion: String {
        #if compiler(>=6.5)
        "6.5 or later"
        #elseif compiler(>=6.4)
        "6.4"
        #elseif compiler(>=6.3.3)
        "6.3.3 or later"
        #elseif compiler(>=6.3.2)
        "6.3.2"
        #elseif compiler(>=6.3.1)
        "6.3.1"
        #elseif compiler(>=6.3)
        "6.3"
        #else
        "6.2"
        #endif
    }
}
