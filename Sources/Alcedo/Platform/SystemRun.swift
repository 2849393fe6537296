/// Distinguishes one boot of the system from another.
package struct SystemRun: Sendable {
    /// A number unique to each boot; 0 when the system doesn't provide one. Blocks.
    package let identity: @Sendable () -> UInt64

    package init(identity: @escaping @Sendable () -> UInt64) { self.identity = identity }

    /// The real identity, read from the system once.
    package static let current = SystemRun { identityOfSystem }

    private static let identityOfSystem: UInt64 = {
        let text = systemRun()
        return text.isEmpty ? 0 : FastHash.hash(text, seed: 10)
    }()
}
