/// Waits until this process is idle.
enum ProcessRest {
    /// Returns when the process has used almost no processor time in two successive intervals.
    @concurrent
    static func wait() async throws {
        var quiet = 0
        while quiet < 2 {
            let before = try MeasuredTime.processor.now()
            try await Task.sleep(for: .milliseconds(5))
            quiet = try MeasuredTime.processor.now() - before < .microseconds(300) ? quiet + 1 : 0
        }
    }
}
