/// A key that knows its own hash.
///
/// Equal keys have equal hashes. Keys that differ may share one: whoever looks one up compares whole keys too.
/// Where others choose the keys, the hash has to be seeded per process, or a table of them can be made slow.
package protocol PrehashedKey: Hashable, Sendable {
    /// The hash, computed once; reading it costs nothing.
    var prehash: UInt64 { get }
}
