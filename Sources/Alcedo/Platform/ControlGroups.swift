/// The file system directories of this process's control groups that limit memory, in both versions of the interface
/// (cgroups(7)).
///
/// A system may use both versions at the same time, with the memory controller in either.
struct ControlGroups: Sendable {
    /// Version 2 directories, from the process's own group up to the topmost visible one; empty when there are none.
    /// The process's own directory may not exist, as in a container whose own files are mounted at the top.
    private(set) var unified: [String] = []
    /// The groups of the memory controller of version 1.
    private(set) var legacy: [String] = []

    /// - Parameter read: Returns the text of the file at a path, or nil when there is none.
    init(read: (String) -> String?) {
        let mounts = Self.mounts(read("/proc/self/mountinfo") ?? "")
        let lines = (read("/proc/self/cgroup") ?? "").split(separator: "\n")
        for line in lines {
            // Number, controllers and path. Version 2 has the number 0 and no controllers. Paths may contain colons.
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3, fields[2].hasPrefix("/") else { continue }
            if fields[0] == "0", fields[1].isEmpty {
                unified += Self.directories(String(fields[2]), mounts.filter { $0.kind == .unified })
            } else if fields[1].split(separator: ",").contains("memory") {
                legacy += Self.directories(String(fields[2]), mounts.filter { $0.kind == .legacy })
            }
        }
    }

    private struct Mount {
        enum Kind { case unified, legacy }
        var kind: Kind
        /// The group that is mounted.
        var root: String
        var point: String
    }

    /// The mounts in /proc/self/mountinfo (proc_pid_mountinfo(5)), or the usual ones where it lists none.
    private static func mounts(_ text: String) -> [Mount] {
        let found = text.split(separator: "\n").compactMap { line -> Mount? in
            let fields = line.split(separator: " ")
            // The sixth field is followed by optional ones, ended by a hyphen; then come the type, the source and the
            // options.
            guard let hyphen = fields.dropFirst(6).firstIndex(of: "-"), fields.count > hyphen + 3 else { return nil }
            let options = fields[hyphen + 3].split(separator: ",")
            let kind: Mount.Kind
            switch fields[hyphen + 1] {
            case "cgroup2": kind = .unified
            case "cgroup" where options.contains("memory"): kind = .legacy
            default: return nil
            }
            return Mount(kind: kind, root: unescaped(fields[3]), point: unescaped(fields[4]))
        }
        let usual = [
            Mount(kind: .unified, root: "/", point: "/sys/fs/cgroup"),
            Mount(kind: .unified, root: "/", point: "/sys/fs/cgroup/unified"),
            Mount(kind: .legacy, root: "/", point: "/sys/fs/cgroup/memory"),
        ]
        return found + usual.filter { mount in !found.contains { $0.kind == mount.kind } }
    }

    /// The group at `path` and its ancestors, in each mount that shows it. If no mount shows it, the process sees part
    /// of the tree under another name. The mounted group is then most likely its own.
    private static func directories(_ path: String, _ mounts: [Mount]) -> [String] {
        let names = path.split(separator: "/")
        let showing = mounts.compactMap { mount -> [String]? in
            let root = mount.root.split(separator: "/")
            guard names.starts(with: root), !names.contains("..") else { return nil }
            return names[root.count...].indices.reversed().map { end in
                names[root.count...end].reduce(mount.point) { $0 + "/" + $1 }
            } + [mount.point]
        }
        return showing.isEmpty ? mounts.map(\.point) : showing.flatMap { $0 }
    }

    /// A field of mountinfo, in which spaces, tabs, line breaks and backslashes are written as octal numbers.
    private static func unescaped(_ field: Substring) -> String {
        String(field).replacing(/\\([0-3][0-7]{2})/) { match in
            UInt8(match.1, radix: 8).map { String(UnicodeScalar($0)) } ?? String(match.0)
        }
    }
}
