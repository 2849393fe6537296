/// A benchmark that could not be performed; the text is for the person who runs it.
struct BenchError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
