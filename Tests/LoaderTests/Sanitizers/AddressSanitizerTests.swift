import Foundation
import Testing

@testable import TestFixtures

/// What `make asan` finds, with its very options.
@Suite(.enabled(if: Sanitizer.isOnAddresses), .timeLimit(.minutes(2))) struct AddressSanitizerTests {
    /// Its report comes too late to be observed; the status tells, of a process that does nothing else.
    @Test func leak_isFound() async {
        await #expect(processExitsWith: .failure) {
            // One of them may be found on the stack, and so not be lost.
            for size in 1...20 { _ = malloc(size * 100) }
        }
        await #expect(processExitsWith: .success) {
            for size in 1...20 { free(malloc(size * 100)) }
        }
    }

    @Test func overread_isFound() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let block = UnsafeMutablePointer<UInt8>.allocate(capacity: 10)
            let end = ProcessInfo.processInfo.arguments.isEmpty ? 9 : 10
            #expect(block[end] != block[end] &+ 1)
            block.deallocate()
        }
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(text.contains("heap-buffer-overflow"))
    }
}
