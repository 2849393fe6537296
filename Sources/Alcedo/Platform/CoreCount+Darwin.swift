#if canImport(Darwin)
import Foundation

package enum CoreCount {
    /// The number of active cores of the machine.
    package static var current: Int { ProcessInfo.processInfo.activeProcessorCount }
}
#endif
