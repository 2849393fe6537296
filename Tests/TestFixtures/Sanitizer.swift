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
    /// Whether this process runs under the address sanitizer.
    static let isOnAddresses = dlsym(dlopen(nil, RTLD_NOW), "__asan_init") != nil
    /// Whether a sanitizer allocates the memory, so that the system's figures are meaningless.
    static let ownsMemory = isOn || isOnAddresses
}
