import Alcedo

/// Text as a key of tables, in tests.
extension String: PrehashedKey {
    package var prehash: UInt64 { UInt64(truncatingIfNeeded: hashValue) }
}
