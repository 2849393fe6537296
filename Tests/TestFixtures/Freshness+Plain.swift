import Alcedo

extension Freshness {
    /// Creates the freshness of a response about which only the end of its lifetime is known.
    package init(endSecond: Int64, received: Int64 = 0) {
        self.init(
            ["Cache-Control": "max-age=\(endSecond - received)"], status: 200,
            Exchange(request: received, response: received))
    }
}
