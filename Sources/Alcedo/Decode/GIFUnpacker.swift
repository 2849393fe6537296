#if GIF || canImport(Darwin)
import Foundation

/// Decompresses the LZW data of one image after the other (GIF89a specification, appendix F).
///
/// A code's string is an earlier output string plus the pixel after it, so each code is stored as an offset and a
/// length in the ``window`` of recent output: no tree is walked, and strings are copied eight bytes at a time. Nothing
/// refers to output before a clear code or after the last code was defined, so the window holds only the output in
/// between: about 30 KB for most images, and for any image less than 9 MB and little more than the image itself.
struct GIFUnpacker {
    /// The indices themselves, which codes refer to, followed by the output.
    private var window = ContiguousArray<UInt8>(repeating: 0, count: 24 << 10)
    /// The strings by code: the offset in the window and, in the low 16 bits, the length.
    private var strings = ContiguousArray<UInt64>(repeating: 0, count: Self.mostCodes)
    private var state = GIFCodeState(offset: 0, indexBits: 1)
    /// The reason why the last run stopped.
    private var stop = GIFCodeState.Stop.full
    /// Output that hasn't been consumed yet.
    private var fresh = firstOutput..<firstOutput
    /// Output before this offset is still referred to, until codes can be defined again.
    private var referenced = 0

    fileprivate static let mostCodes = 4_096
    /// The offset of the first output, after the 256 indices.
    private static let firstOutput = 256
    /// The longest string, rounded up to the size of a copy.
    private static let slack = mostCodes + 16
    /// The minimum room for output.
    private static let chunk = 8 << 10

    init() {
        for index in 0..<Self.firstOutput { window[index] = UInt8(truncatingIfNeeded: index) }
    }

    /// Starts on the data at `offset`: a byte with the number of bits per index, then blocks.
    mutating func start(_ bytes: Span<UInt8>, at offset: Int) {
        state = GIFCodeState(offset: offset + 1, indexBits: Int(min(8, bytes.byte(at: offset) ?? 8)))
        for index in 0..<state.clearCode { strings[index] = UInt64(index) << 16 | 1 }
        clear()
    }

    private mutating func clear() {
        state.clear()
        stop = .full
        fresh = Self.firstOutput..<Self.firstOutput
        referenced = 0
    }

    /// Whether the data at `offset` has `count` indices.
    static func has(
        _ count: Int, in data: Data, at offset: Int, _ cancellation: DecodeCancellation
    ) throws(ImageLoaderError) -> Bool {
        var unpacker = GIFUnpacker()
        unpacker.start(data.span, at: offset)
        var missing = count
        while missing > 0 {
            try cancellation.check()
            do throws(ImageLoaderError) { try unpacker.advance(data.bytes, wanted: missing) } catch { return false }
            missing -= unpacker.fresh.count
        }
        return true
    }

    /// Calls `body` with the indices that the last ``advance(_:wanted:)`` produced.
    func withFresh<R>(_ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
        window.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[fresh])) }
    }

    /// Produces more indices. `wanted` is the number still missing; more than that may be produced.
    ///
    /// - Throws: If no more indices can be produced.
    mutating func advance(_ bytes: RawSpan, wanted: Int) throws(ImageLoaderError) {
        makeRoom()
        while fresh.isEmpty {
            switch stop {
            case .full: break
            case .cleared: clear()
            case .over: throw .corruptImage(.gif, reason: "\(wanted) pixels of an image are missing")
            case .undefined: throw .corruptImage(.gif, reason: "a code that is not defined")
            }
            run(bytes, upTo: min(window.count - Self.slack, fresh.lowerBound + wanted))
        }
    }

    /// Makes room for the next output, once the last output has been consumed. The next output follows the last one, or
    /// overwrites it if no code refers to it.
    private mutating func makeRoom() {
        var start = fresh.upperBound
        if state.next == Self.mostCodes {
            if referenced == 0 { referenced = start }
            start = referenced
        }
        if window.count - Self.slack - start < Self.chunk { window += repeatElement(0, count: max(Self.chunk, start)) }
        fresh = start..<start
    }

    private mutating func run(_ bytes: RawSpan, upTo limit: Int) {
        var end = fresh.upperBound
        stop = Self.run(&state, bytes, &window, &strings, from: &end, upTo: limit)
        fresh = fresh.lowerBound..<end
    }

    /// Static because the compiler treats two spans of one value as overlapping access.
    private static func run(
        _ state: inout GIFCodeState, _ bytes: RawSpan, _ window: inout ContiguousArray<UInt8>,
        _ strings: inout ContiguousArray<UInt64>, from end: inout Int, upTo limit: Int
    ) -> GIFCodeState.Stop {
        var window = window.mutableSpan
        var windowBytes = window.mutableBytes
        var strings = strings.mutableSpan
        return state.run(bytes, &windowBytes, &strings, from: &end, upTo: limit)
    }
}

/// The state of reading codes.
private struct GIFCodeState {
    let clearCode: Int
    /// The lowest code that has no string yet.
    private(set) var next = 0
    private var width = 0
    /// The string that was output last.
    private var last = 0..<0
    private var input: GIFBitReader

    /// The reason why output stopped: the room is full, or a clear code, the end, or an undefined code was reached.
    enum Stop { case full, cleared, over, undefined }

    init(offset: Int, indexBits: Int) {
        clearCode = 1 << indexBits
        input = GIFBitReader(offset: offset)
    }

    mutating func clear() {
        // The first code has no previous code to extend. The entry that it defines anyway takes the place of the end
        // code, which is never looked up.
        next = clearCode + 1
        width = clearCode.trailingZeroBitCount + 1
        last = 0..<0
    }

    /// Reads codes and outputs their strings at `end` until it has passed `limit`.
    ///
    /// All reads and writes are bounds-checked by the spans.
    mutating func run(
        _ bytes: RawSpan, _ window: inout MutableRawSpan, _ strings: inout MutableSpan<UInt64>,
        from end: inout Int, upTo limit: Int
    ) -> Stop {
        // The optimizer can keep these copies in registers.
        var (state, place) = (self, end)
        defer { (self, end) = (state, place) }
        while place < limit {
            guard let code = state.input.read(state.width, from: bytes) else { return .over }
            // The clear code, or the code after it, which ends the data.
            if UInt(bitPattern: code &- state.clearCode) <= 1 { return code == state.clearCode ? .cleared : .over }
            if state.next < GIFUnpacker.mostCodes {
                strings[state.next] = UInt64(state.last.lowerBound) << 16 | UInt64(state.last.count + 1)
                state.next += 1
                // `next` is greater only if indices have no bits: the table then begins with more codes than fit.
                if state.next >= 1 << state.width, state.width < 12 { state.width += 1 }
            }
            guard code < state.next else { return .undefined }
            let string = strings[code]
            let (start, length) = (Int(string >> 16), Int(string & 0xFFFF))
            window.copy(length, from: start, to: place)
            state.last = place..<place + length
            place += length
        }
        return .full
    }
}

extension MutableRawSpan {
    /// Copies forwards, so that copied bytes can be read again as source bytes. Writes up to seven bytes beyond the
    /// end.
    @inline(__always)
    fileprivate mutating func copy(_ length: Int, from start: Int, to end: Int) {
        var done = 0
        if end - start >= 8 {
            repeat {
                let eight = unsafeLoadUnaligned(fromByteOffset: start + done, as: UInt64.self)
                storeBytes(of: eight, toByteOffset: end + done, as: UInt64.self)
                done += 8
            } while done < length
        } else {
            while done < length {
                let one = unsafeLoad(fromByteOffset: start + done, as: UInt8.self)
                storeBytes(of: one, toByteOffset: end + done, as: UInt8.self)
                done += 1
            }
        }
    }
}

/// Reads codes of variable width, least significant bit first, from blocks that each begin with their length.
private struct GIFBitReader {
    private var offset: Int
    private var leftInBlock = 0
    private var bits: UInt64 = 0
    private var count = 0

    /// Reads the blocks starting at `offset` in the file.
    init(offset: Int) { self.offset = offset }

    /// The next code of `width` bits, at most 12; nil at the end of the blocks.
    @inline(__always)
    mutating func read(_ width: Int, from bytes: RawSpan) -> Int? {
        if count < width {
            fill(from: bytes)
            guard count >= width else { return nil }
        }
        let code = Int(truncatingIfNeeded: bits & ((1 << UInt64(width)) - 1))
        bits >>= UInt64(width)
        count -= width
        return code
    }

    private mutating func fill(from bytes: RawSpan) {
        while count < 32 {
            if leftInBlock >= 4 {
                let word = bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self)
                append(UInt64(UInt32(littleEndian: word)), bytes: 4)
            } else if leftInBlock > 0 {
                append(UInt64(bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)), bytes: 1)
            } else {
                guard offset < bytes.byteCount else { return }
                let length = Int(bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self))
                guard length > 0 else { return }
                offset += 1
                leftInBlock = min(length, bytes.byteCount - offset)
            }
        }
    }

    private mutating func append(_ value: UInt64, bytes read: Int) {
        bits |= value << UInt64(count)
        count += read * 8
        offset += read
        leftInBlock -= read
    }
}
#endif
