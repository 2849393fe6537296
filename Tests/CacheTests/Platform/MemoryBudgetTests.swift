import AlcedoTestSupport
import Testing

@testable import Alcedo
@testable import TestFixtures

struct MemoryBudgetTests {
    /// A gigabyte, of which 8 are the machine's memory.
    private static let gigabyte = 1 << 30

    private func limit(_ files: [String: String]) -> Int {
        MemoryBudget.limit(physical: 8 * Self.gigabyte) { files[$0] }
    }

    private let v2 = "35 24 0:30 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
    private let v1 = """
        24 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw
        35 24 0:30 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct
        36 24 0:31 / /sys/fs/cgroup/memory rw,relatime shared:12 master:3 - cgroup cgroup rw,memory

        """
    private let v1Own = "5:cpu,cpuacct:/a\n4:memory:/jobs/one\n1:name=systemd:/x\n"
    private let none = "9223372036854771712\n"

    @Test func noFiles_noLimit() {
        #expect(limit([:]) == 8 * Self.gigabyte)
        #expect(limit(["/proc/self/cgroup": "", "/proc/self/mountinfo": ""]) == 8 * Self.gigabyte)
    }

    @Test func version2_leastOfAllAbove() {
        let own = ["/proc/self/cgroup": "0::/user.slice/app.scope\n", "/proc/self/mountinfo": v2]
        func limit(_ more: [String: String]) -> Int { self.limit(own.merging(more) { $1 }) }
        let (leaf, above) = ("/sys/fs/cgroup/user.slice/app.scope/", "/sys/fs/cgroup/user.slice/")
        #expect(limit([leaf + "memory.max": "max\n", leaf + "memory.high": "max\n"]) == 8 * Self.gigabyte)
        #expect(limit([leaf + "memory.max": "1073741824\n"]) == Self.gigabyte)
        #expect(limit([leaf + "memory.max": "1073741824\n", leaf + "memory.high": "1000\n"]) == 1_000)
        #expect(limit([leaf + "memory.max": "3000\n", above + "memory.max": "2000\n"]) == 2_000)
        #expect(limit([leaf + "memory.max": "2000\n", above + "memory.high": "3000\n"]) == 2_000)
        #expect(limit([leaf + "memory.max": "0\n"]) == 0)
        // Another's, and more than there is.
        #expect(limit(["/sys/fs/cgroup/other/memory.max": "5\n"]) == 8 * Self.gigabyte)
        #expect(limit([leaf + "memory.max": "99999999999999\n"]) == 8 * Self.gigabyte)
    }

    @Test(arguments: ["", "\n", "max", "-1", "+5", "0x10", "1e9", "12abc", " 5", "½", "٣", "99999999999999999999999"])
    func nonNumber_doesNotLimit(text: String) {
        let files = ["/proc/self/cgroup": "0::/\n", "/proc/self/mountinfo": v2, "/sys/fs/cgroup/memory.max": text]
        #expect(limit(files) == 8 * Self.gigabyte)
    }

    @Test func version1_leastOfAllAbove() {
        let own = ["/proc/self/cgroup": v1Own, "/proc/self/mountinfo": v1]
        func limit(_ more: [String: String]) -> Int { self.limit(own.merging(more) { $1 }) }
        #expect(limit(["/sys/fs/cgroup/memory/jobs/one/memory.limit_in_bytes": none]) == 8 * Self.gigabyte)
        #expect(limit(["/sys/fs/cgroup/memory/jobs/one/memory.limit_in_bytes": "4096\n"]) == 4_096)
        #expect(
            limit([
                "/sys/fs/cgroup/memory/jobs/one/memory.limit_in_bytes": none,
                "/sys/fs/cgroup/memory/jobs/memory.limit_in_bytes": "4096\n",
            ]) == 4_096)
        #expect(limit(["/sys/fs/cgroup/memory/memory.limit_in_bytes": "4096\n"]) == 4_096)
        // Another controller's.
        #expect(limit(["/sys/fs/cgroup/cpu,cpuacct/a/memory.limit_in_bytes": "1\n"]) == 8 * Self.gigabyte)
    }

    @Test func both_memoryInEither() {
        let mounts = v1 + "41 24 0:33 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n"
        let own = ["/proc/self/cgroup": v1Own + "0::/jobs/two\n", "/proc/self/mountinfo": mounts]
        func limit(_ more: [String: String]) -> Int { self.limit(own.merging(more) { $1 }) }
        #expect(limit(["/sys/fs/cgroup/memory/jobs/one/memory.limit_in_bytes": "4096\n"]) == 4_096)
        #expect(limit(["/sys/fs/cgroup/unified/jobs/two/memory.max": "4096\n"]) == 4_096)
        #expect(limit(["/sys/fs/cgroup/unified/jobs/one/memory.max": "4096\n"]) == 8 * Self.gigabyte)
    }

    @Test func containerWithHostPath_isLimited() {
        // Its own group is mounted where the host has the whole tree.
        let mounts = "36 24 0:31 /docker/0a1b /sys/fs/cgroup/memory ro,nosuid - cgroup cgroup rw,memory\n"
        #expect(
            limit([
                "/proc/self/cgroup": "4:memory:/docker/0a1b\n", "/proc/self/mountinfo": mounts,
                "/sys/fs/cgroup/memory/memory.limit_in_bytes": "4096\n",
            ]) == 4_096)
        #expect(
            limit([
                "/proc/self/cgroup": "4:memory:/docker/0a1b/in/it\n", "/proc/self/mountinfo": mounts,
                "/sys/fs/cgroup/memory/in/memory.limit_in_bytes": "4096\n",
            ]) == 4_096)
        // The mount says it is the whole tree, and shows the own group only.
        #expect(
            limit([
                "/proc/self/cgroup": "0::/docker/0a1b\n", "/proc/self/mountinfo": v2,
                "/sys/fs/cgroup/memory.max": "4096\n",
            ]) == 4_096)
        // Seen from a namespace that it lies outside of.
        #expect(
            limit([
                "/proc/self/cgroup": "0::/../other\n", "/proc/self/mountinfo": v2,
                "/sys/fs/cgroup/memory.max": "4096\n", "/sys/fs/cgroup/../other/memory.max": "1\n",
            ]) == 4_096)
    }

    @Test func mountOfAnothersPart_isLeftOut() {
        let mounts = v2 + "77 24 0:30 /docker/0a1b /mnt/part rw - cgroup2 cgroup2 rw\n"
        let files = ["/proc/self/cgroup": "0::/docker/0a1c\n", "/proc/self/mountinfo": mounts]
        #expect(limit(files.merging(["/mnt/part/memory.max": "1\n"]) { $1 }) == 8 * Self.gigabyte)
    }

    @Test func withoutMounts_usualPlaces() {
        let own = ["/proc/self/cgroup": "4:memory:/a\n0::/b:c\n"]
        for path in [
            "/sys/fs/cgroup/b:c/memory.max", "/sys/fs/cgroup/unified/b:c/memory.high", "/sys/fs/cgroup/memory.max",
            "/sys/fs/cgroup/memory/a/memory.limit_in_bytes",
        ] {
            #expect(limit(own.merging([path: "4096\n"]) { $1 }) == 4_096, "\(path)")
        }
    }

    @Test func mountsWithSpaces_areFound() {
        let mounts = #"35 24 0:30 / /my\040own\134\040groups rw - cgroup2 cgroup2 rw"#
        let own = ["/proc/self/cgroup": "0::/\n", "/proc/self/mountinfo": mounts]
        #expect(limit(own.merging([#"/my own\ groups/memory.max"#: "4096\n"]) { $1 }) == 4_096)
    }

    @Test func garbage_isNoLimit_andNoCrash() {
        var random = SeededRandom(seed: Fuzz.seed)
        let alphabet = " /-:,\\\n0129abcgroupmemory"
        for _ in 0..<min(2_000, Fuzz.steps) {
            let files = [
                "/proc/self/cgroup": random.rubbish(from: [v1Own, "0::/a/b\n"], alphabet: alphabet),
                "/proc/self/mountinfo": random.rubbish(from: [v1, v2], alphabet: alphabet),
            ]
            must(limit(files) == 8 * Self.gigabyte, "\(files)")
        }
    }

    @Test func cache_takesFifth_upToLimit() {
        #expect(MemoryBudget.costLimit(within: 0) == 0)
        #expect(MemoryBudget.costLimit(within: -5) == 0)
        #expect(MemoryBudget.costLimit(within: 100 << 20) == 20 << 20)
        #expect(MemoryBudget.costLimit(within: 64 << 30) == 768 << 20)
        #expect(MemoryBudget.costLimit(within: .max) == 768 << 20)
    }

    @Test func decodes_takeQuarter() {
        #expect(MemoryBudget.decodeLimit(within: -5) == 0)
        #expect(MemoryBudget.decodeLimit(within: 1_000 << 20) == 250 << 20)
        #expect(MemoryBudget.decodeLimit(within: .max) == .max / 4)
    }

    @Test func body_takesTenth_upToLimit() async throws {
        #expect(MemoryBudget.bodyLimit(within: 0) == 0 && MemoryBudget.bodyLimit(within: 20 << 20) == 10 << 20)
        #expect(MemoryBudget.bodyLimit(within: 100 << 20) == 16 << 20)
        #expect(MemoryBudget.bodyLimit(within: 1_000 << 20) == 100 << 20)
        #expect(MemoryBudget.bodyLimit(within: .max) == 200 << 20)
        let memory = ProcessMemory { 1_000 << 20 }
        var rules = ResponseRules()
        #expect(rules.maximumBytes == nil)
        #expect(try await rules.limited(within: memory).maximumBytes == 100 << 20)
        rules.maximumBytes = 7
        #expect(try await rules.limited(within: memory) == rules)
    }

    @Test func thisProcess_mayUseSomething() {
        #expect(MemoryBudget.readProcessLimit() > 64 << 20)
    }
}
