/// A benchmark that couldn't be performed; the text is meant for the user.
struct BenchError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
