/// What a coordinator knows of one download. A class, as much of it changes in place; it never leaves the actor.
final class DownloadFlight {
    let request: WebRequest
    let key: ResourceKey
    let control: LoadControl
    /// When it began: nothing is kept for others of one that began before a removal.
    let begun: Download.Ticket
    /// What the program's hook made of the request, for the present attempt.
    var prepared: DataRequest?
    /// Made for the first failure.
    var retries: RetryState?
    /// What it does when it gets a slot; nil when it does not wait for one.
    var inLine: Turn?
    /// What the present transfer delivers to; it has a slot as long.
    var sink: ResponseSink?
    /// Bytes of the body after the last transfer.
    var received = 0
    /// Those of them that an earlier download had brought.
    var continuedBytes = 0

    init(_ request: WebRequest, _ key: ResourceKey, _ control: LoadControl, _ begun: Download.Ticket) {
        self.request = request
        self.key = key
        self.control = control
        self.begun = begun
    }

    /// What is asked of the server.
    var data: DataRequest { prepared ?? request.data }

    /// What it does when it gets a slot.
    enum Turn {
        /// It has no Task before: one that only waits costs none.
        case begin
        case goOn(UnsafeContinuation<ResponseSink?, Never>)
    }
}
