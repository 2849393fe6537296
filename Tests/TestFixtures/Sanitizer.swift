import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The thread sanitizer, under which `make tsan` runs, and the address sanitizer of `make asan`.
enum Sanitizer {
    /// Whether this process runs under the thread sanitizer.
    static let isOn = dlsym(dlopen(nil, RTLD_NOW), "__tsan_acquire") != nil
    /// Whether it runs under the address sanitizer.
    static let isOnAddresses = dlsym(dlopen(nil, RTLD_NOW), "__asan_init") != nil
    /// Whether memory is taken from a sanitizer, so that what the system tells of it is no measure.
    static let ownsMemory = isOn || isOnAddresses
}
