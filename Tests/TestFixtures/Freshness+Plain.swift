import Alcedo

extension Freshness {
    /// The freshness of a response that says only when it ends.
    package init(endSecond: Int64, received: Int64 = 0) {
        self.init(
            ["Cache-Control": "max-age=\(endSecond - received)"], status: 200,
            Exchange(request: received, response: received))
    }
}
