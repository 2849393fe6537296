#if canImport(Darwin)
import Foundation

/// Tells the threads at work apart, as Darwin does not say on which core one runs.
package enum CoreNumber {
    /// The cores of the machine that are in use.
    package static var count: Int { ProcessInfo.processInfo.activeProcessorCount }

    /// Spread from the address of the calling thread.
    @inline(__always)
    static var current: Int {
        let address = UInt64(UInt(bitPattern: pthread_self()))
        return Int(truncatingIfNeeded: (address &* 0x9E37_79B9_7F4A_7C15) &>> 56)
    }
}
#endif
