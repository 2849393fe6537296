/// A key that stores its own hash.
///
/// Equal keys have equal hashes. Different keys may share one, so lookups must also compare whole keys. If the keys
/// come from outside, the hash must be seeded per process; otherwise an attacker can make a table of them slow.
package protocol PrehashedKey: Hashable, Sendable {
    /// The hash, computed once; reading it costs nothing.
    var prehash: UInt64 { get }
    /// The hash by which a table finds the key: distributed in its upper bits. Keys of which only the lower 40 bits
    /// differ are found together.
    var slotHash: UInt64 { get }
}

extension PrehashedKey {
    package var slotHash: UInt64 { SlotIndex.hash(prehash) }
}
