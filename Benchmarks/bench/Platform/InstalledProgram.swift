import Foundation

/// Programs that serve as baselines.
enum InstalledProgram {
    /// Whether a program with that name is found where a shell would look.
    static func exists(_ name: String) -> Bool {
        let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
        return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
    }
}
