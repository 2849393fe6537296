import Alcedo
import Foundation

extension Workload {
    /// A C library's loop over a file. It writes RGBA rows into memory, whose size in bytes is the last parameter.
    typealias CodecLoop = @Sendable (UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<UInt8>?, Int) -> Bool

    /// Runs a C library's loop, which overwrites one buffer repeatedly.
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

    /// Decodes a file repeatedly. Each image is released before the next one is decoded.
    static func decodes(_ file: Data, _ decoder: any ImageDecoding) -> Workload {
        Workload { iterations in
            for _ in 0..<iterations { blackHole(try decoder.decode(file, DecodeRequest())) }
        }
    }
}
