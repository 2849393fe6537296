import Alcedo
import Foundation

extension Workload {
    /// A C library's loop over a file, to RGBA rows in memory that has room for the last parameter's bytes.
    typealias CodecLoop = @Sendable (UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<UInt8>?, Int) -> Bool

    /// Runs a C library's loop, which writes repeatedly into one buffer.
    static func loop(_ file: Data, _ bitmapBytes: Int, _ decode: @escaping CodecLoop) -> Workload {
        let buffer = ReusedBuffer(bytes: bitmapBytes)
        return Workload { iterations in
            for _ in 0..<iterations {
                let isDone = file.withUnsafeBytes { file in
                    let file = file.bindMemory(to: UInt8.self)
                    return buffer.withBytes { decode(file.baseAddress, file.count, $0.baseAddress, $0.count) }
                }
                guard isDone else { throw BenchError("the C library decodes nothing") }
            }
        }
    }

    /// Decodes a file repeatedly. Each picture is dropped before the next one is decoded.
    static func decodes(_ file: Data, _ decoder: any ImageDecoding) -> Workload {
        Workload { iterations in
            for _ in 0..<iterations { blackHole(try decoder.decode(file, DecodeRequest())) }
        }
    }
}
