import Alcedo
import Foundation

/// A file that a timeline is written to.
struct TimelineFile: Equatable {
    let file: OutputFile
    private var path: String { file.path }

    /// The file named by an option; nil without the option. Its ending determines the format.
    init?(_ given: Arguments) throws(UsageError) {
        guard let file = OutputFile("--timeline", given) else { return nil }
        guard file.path.hasSuffix(".svg") || file.path.hasSuffix(".json") else {
            throw given.refusal("--timeline must end in .svg or .json: \(file.path)")
        }
        self.file = file
    }

    /// Writes the timeline of the recorded events on one of the threads, and warns if events are missing. If it can't
    /// be written, prints the reason and returns false.
    func write(_ recorder: LoadRecorder, on console: Console, _ threads: WorkerThreads) async -> Bool {
        await threads.run { write(recorder, on: console) }
    }

    private func write(_ recorder: LoadRecorder, on console: Console) -> Bool {
        guard write(recorder.events, on: console) else { return false }
        let dropped = recorder.droppedCount
        if dropped > 0 {
            let all = dropped + recorder.capacity
            console.error("warning: \(path): the timeline lacks the oldest \(dropped) of \(all) events")
        }
        return true
    }

    /// Writes the timeline of `events`. If that fails, prints the reason and returns false.
    func write(_ events: [LoadEvent], on console: Console) -> Bool {
        do {
            let timeline = Timeline(events)
            let text =
                path.hasSuffix(".svg")
                ? TimelinePicture(timeline: timeline).svg : try JSONText.of(TimelineTrace(timeline)) + "\n"
            return file.write(Data(text.utf8), on: console)
        } catch {
            console.error("\(path): \(ErrorText.of(error))")
            return false
        }
    }
}
