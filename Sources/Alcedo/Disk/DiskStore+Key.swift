extension DiskStore {
    /// The key of what a secret selects. The first one waits for the directory's own key, which is read, or made where
    /// there is none; when that fails, it is reported, and nil.
    ///
    /// - Parameters:
    ///   - secret: what selects the bytes besides the source; not empty.
    ///   - isPatient: whether it waits although the calling Task is cancelled; otherwise it is nil at once then.
    package nonisolated func key(_ source: String, secret: String, isPatient: Bool = false) async -> DiskKey? {
        if secret.utf8.count <= Self.mostDigestedHere, let key = work.knownKey {
            return DiskKey(source, secret: secret, under: key)
        }
        let make = { @Sendable [work] in work.ownKey().map { DiskKey(source, secret: secret, under: $0) } }
        return isPatient ? await readers.run(make) : await readers.runUnlessCancelled(make) ?? nil
    }

    /// Bytes of a secret that are digested on the calling thread; of more, as a request's body may have, on another
    /// one.
    private static let mostDigestedHere = 8 << 10
}
