/// A key that stores its own hash.
///
/// Equal keys have equal hashes. Different keys may share one, so lookups must also compare whole keys. If the keys
/// come from outside, the hash must be seeded per process; otherwise an attacker can make a table of them slow.
package protocol PrehashedKey: Hashable, Sendable {
    /// The hash, computed once; reading it costs nothing.
    var prehash: UInt64 { get }
}
