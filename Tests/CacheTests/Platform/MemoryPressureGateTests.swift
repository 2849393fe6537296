import Testing

@testable import Alcedo
@testable import TestFixtures

struct MemoryPressureGateTests {
    private func counted(_ text: String) -> MemoryPressureGate.Event { .counted(MemoryEvents(text)) }

    @Test func events_areReported() {
        for (event, pressure) in [
            (MemoryPressureGate.Event.someStalled, MemoryPressure.warning), (.allStalled, .critical),
        ] {
            var gate = MemoryPressureGate()
            check(gate.take(event, at: .zero), pressure)
        }
    }

    @Test(arguments: [
        ("low 1", MemoryPressure.warning), ("high 1", .warning), ("max 1", .warning), ("oom 1", .critical),
        ("oom_kill 1", .critical), ("low 3\nhigh 3\nmax 3\noom 1\noom_kill 0", .critical), ("other 5", nil),
        ("max x", nil),
        ("max -1", nil), ("max 1 1", nil), ("", nil),
    ])
    func counters_areReportedWhenTheyRise(text: String, pressure: MemoryPressure?) {
        var gate = MemoryPressureGate()
        check(gate.take(counted(text), at: .zero), pressure)
        check(gate.take(counted(text), at: .seconds(100)), nil)
    }

    @Test func earlierCounts_areIgnored() {
        var gate = MemoryPressureGate(events: MemoryEvents("max 7\noom 2"))
        check(gate.take(counted("max 7\noom 2"), at: .zero), nil)
        check(gate.take(counted("max 8\noom 2"), at: .zero), .warning)
        // Counters that fall are those of another group.
        check(gate.take(counted("max 1\noom 0"), at: .seconds(9)), nil)
        check(gate.take(counted("max 1\noom 1"), at: .seconds(9)), .critical)
    }

    @Test func flood_isReportedOnceInSecond() {
        var gate = MemoryPressureGate()
        let told = (0..<3_000).filter { gate.take(.someStalled, at: .milliseconds($0)) != nil }
        #expect(told == [0, 1_000, 2_000])
    }

    @Test func worseLevel_isReportedAtOnce() {
        var gate = MemoryPressureGate()
        check(gate.take(.someStalled, at: .zero), .warning)
        check(gate.take(.allStalled, at: .milliseconds(1)), .critical)
        check(gate.take(.allStalled, at: .milliseconds(999)), nil)
        check(gate.take(.someStalled, at: .milliseconds(1_000)), nil)
        check(gate.take(.someStalled, at: .milliseconds(1_001)), .warning)
        check(gate.take(.allStalled, at: .milliseconds(1_002)), .critical)
    }

    @Test func unreportedCounts_areRecorded() {
        var gate = MemoryPressureGate()
        check(gate.take(counted("max 1"), at: .zero), .warning)
        check(gate.take(counted("max 2"), at: .milliseconds(1)), nil)
        check(gate.take(counted("max 2"), at: .seconds(5)), nil)
    }

    @Test func clockThatGoesBack_holdsUpNothing() {
        var gate = MemoryPressureGate()
        check(gate.take(.someStalled, at: .seconds(100)), .warning)
        check(gate.take(.someStalled, at: .seconds(5)), .warning)
        check(gate.take(.someStalled, at: .milliseconds(5_500)), nil)
    }

    @Test func worsePressure_leavesLess() {
        #expect(MemoryPressure.warning.fraction == 0.5)
        #expect(MemoryPressure.background.fraction == 0.1)
        #expect(MemoryPressure.critical.fraction == 0)
    }

    @Test func nearestFile_isFirst() {
        let files = MemoryPressureFiles(
            of: ControlGroups { path in
                switch path {
                case "/proc/self/cgroup": "0::/a/b\n"
                case "/proc/self/mountinfo": "35 24 0:30 / /cg rw - cgroup2 cgroup2 rw\n"
                default: nil
                }
            })
        #expect(
            files.stalls == [
                "/cg/a/b/memory.pressure", "/cg/a/memory.pressure", "/cg/memory.pressure", "/proc/pressure/memory",
            ])
        #expect(files.events == ["/cg/a/b/memory.events", "/cg/a/memory.events", "/cg/memory.events"])
    }
}
