import Foundation

/// What libFuzzer calls once. With ALCEDO_FUZZ_SEEDS, the path of a folder, this writes files to begin with, and ends.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(
    _ count: UnsafeMutablePointer<CInt>?, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
    guard let folder = ProcessInfo.processInfo.environment["ALCEDO_FUZZ_SEEDS"] else { return 0 }
    do {
        try Seeds.write(to: URL(fileURLWithPath: folder))
        exit(0)
    } catch {
        print("cannot write the seeds to \(folder): \(error)")
        exit(1)
    }
}

/// What libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    FuzzTarget.current.run(Data(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}
