/// Functions with which previews wait for transfers.
extension LoadControl {
    /// Waits for a transfer other than `done` and returns it. Returns nil when the load has ended or the calling Task
    /// is cancelled.
    func transfer(after done: UInt64) async -> TransferProgress? {
        var cursor = DownloadProgress.Cursor()
        while true {
            if let transfer, transfer.serial != done { return transfer }
            guard await next(after: &cursor) != nil else { return nil }
        }
    }

    /// Returns when the transfer is no longer current, or when the calling Task is cancelled.
    func end(of serial: UInt64) async {
        var cursor = DownloadProgress.Cursor()
        while transfer?.serial == serial, await next(after: &cursor) != nil {}
    }
}
