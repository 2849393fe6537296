/// A key that knows its own hash.
///
/// Keys that are equal have equal folds. Keys that differ may share one: whoever looks one up compares whole keys too.
/// Where others choose the keys, the fold has to be seeded per process, or a table of them can be made slow.
package protocol FoldedKey: Hashable, Sendable {
    /// The hash, computed before: to read it costs nothing.
    var fold: UInt64 { get }
}
