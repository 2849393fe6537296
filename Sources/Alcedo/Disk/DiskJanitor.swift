import Foundation
import Synchronization

/// The temporary files of a store's directory: what they are called, and which were left behind.
enum DiskJanitor {
    /// Tells this process from an earlier one of the same number.
    private static let processToken = String(UInt32.random(in: .min ... .max), radix: 16)
    private static let lastNumber = Atomic(0)

    /// A name that no other file of the directory has.
    static func temporaryName() -> String {
        let number = lastNumber.add(1, ordering: .relaxed).newValue
        return "tmp-\(getpid())-\(processToken)-\(number)"
    }

    /// Removes what a process that is gone left half written: the other files of the directory.
    static func tidy(
        _ directory: String, _ files: any FileSystem, _ onFailure: (CacheFailure) -> Void
    ) throws(FileError) -> [FileEntry] {
        var kept: [FileEntry] = []
        for file in try files.list(directory) {
            guard isLeftBehind(file.name) else {
                kept.append(file)
                continue
            }
            do throws(FileError) {
                try files.remove(directory + "/" + file.name)
            } catch {
                if !error.isNotFound { onFailure(CacheFailure(.remove, error)) }
            }
        }
        return kept
    }

    private static func isLeftBehind(_ name: String) -> Bool {
        let parts = name.split(separator: "-")
        guard parts.count == 4, parts[0] == "tmp", let process = pid_t(parts[1]) else { return false }
        if process == getpid() { return parts[2] != processToken }
        return kill(process, 0) != 0 && errno == ESRCH
    }
}
