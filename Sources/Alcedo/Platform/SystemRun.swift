/// Tells one run of the system from another.
package struct SystemRun: Sendable {
    /// A number of its own for each run; 0 when the system does not say. Blocks.
    package let identity: @Sendable () -> UInt64

    package init(identity: @escaping @Sendable () -> UInt64) { self.identity = identity }

    /// The real one; read once, from the system.
    package static let current = SystemRun { identityOfSystem }

    private static let identityOfSystem: UInt64 = {
        let text = systemRun()
        return text.isEmpty ? 0 : FastHash.hash(text, seed: 10)
    }()
}
