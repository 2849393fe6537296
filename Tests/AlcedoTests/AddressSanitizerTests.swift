import Foundation
import Testing

/// What `make asan` finds, with its very options.
@Suite(.enabled(if: Sanitizer.isOnAddresses), .timeLimit(.minutes(2))) struct AddressSanitizerTests {
    @Test func memoryThatIsLost_isFound() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            // One of them may be found on the stack, and so not be lost.
            for size in 1...20 { _ = malloc(size * 100) }
        }
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(text.contains("LeakSanitizer: detected memory leaks"))
    }

    @Test func aReadBehindTheEnd_isFound() async throws {
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
