#if canImport(Darwin)
import Foundation

/// Distinguishes running threads, because Darwin doesn't report the core that a thread runs on.
package enum CoreNumber {
    /// The number of active cores of the machine.
    package static var count: Int { ProcessInfo.processInfo.activeProcessorCount }

    /// A mix of the calling thread's address.
    @inline(__always)
    static var current: Int {
        let address = UInt64(UInt(bitPattern: pthread_self()))
        return Int(truncatingIfNeeded: (address &* 0x9E37_79B9_7F4A_7C15) &>> 56)
    }
}
#endif
