extension ImageKey: FoldedKey {
    package var fold: UInt64 { resource.fold }
}
