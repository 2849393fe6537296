import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The thread sanitizer, under which `make tsan` runs.
enum Sanitizer {
    /// Whether this process runs under it.
    static let isOn = dlsym(dlopen(nil, RTLD_NOW), "__tsan_acquire") != nil
}
