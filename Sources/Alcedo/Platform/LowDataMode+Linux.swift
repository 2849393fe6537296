#if !canImport(Network)
/// Linux has no Low Data Mode.
struct LowDataMode {
    func observe(_ handle: @escaping @Sendable (Bool) -> Void) {}
}
#endif
