#if GIF
/// Unpacks the LZW data of one image after the other (GIF89a specification, appendix F).
///
/// The string of a code is one that has been put out before and the pixel behind it, so a code is kept as a place and a
/// length in the ``window`` of what came out: no tree is walked, and strings are copied eight bytes at a time. Nothing
/// refers to what came before a clear code or after the last code was defined, so the window holds what lies between:
/// some 30 KB for most pictures, less than 9 MB and little more than the image for any.
struct GIFUnpacker {
    /// The indices themselves, which codes refer to, and behind them what was put out.
    private var window = [UInt8](repeating: 0, count: 24 << 10)
    /// By code: where its string lies in the window, and in the low 16 bits its length.
    private var strings = [UInt64](repeating: 0, count: Self.mostCodes)
    private var state = GIFCodeState(offset: 0, indexBits: 1)
    /// What comes after that which has been put out.
    private var stop = GIFCodeState.Stop.full
    /// What has been put out and not been taken.
    private var fresh = firstOutput..<firstOutput
    /// What lies before this is referred to for as long as no code can be defined.
    private var kept = 0

    fileprivate static let mostCodes = 4_096
    /// Behind the 256 indices.
    private static let firstOutput = 256
    /// The longest string, rounded up to what is copied at a time.
    private static let slack = mostCodes + 16
    /// The least room for output.
    private static let chunk = 8 << 10

    init() {
        for index in 0..<Self.firstOutput { window[index] = UInt8(truncatingIfNeeded: index) }
    }

    /// Starts on the data at `offset`: a byte that tells the bits of an index, and blocks.
    mutating func start(_ bytes: Span<UInt8>, at offset: Int) {
        state = GIFCodeState(offset: offset + 1, indexBits: Int(min(8, bytes.byte(at: offset) ?? 8)))
        for index in 0..<state.clearCode { strings[index] = UInt64(index) << 16 | 1 }
        clear()
    }

    private mutating func clear() {
        state.clear()
        stop = .full
        fresh = Self.firstOutput..<Self.firstOutput
        kept = 0
    }

    /// Calls `body` with the indices that came out of the last ``advance(_:wanted:)``.
    func withFresh<R>(_ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
        window.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[fresh])) }
    }

    /// Puts out some more indices; `wanted` are still missing, and there may be more than those.
    ///
    /// - Throws: when no index comes any more.
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

    /// What was put out has been taken: the next room is the one behind it, or the same again when nothing refers to
    /// it.
    private mutating func makeRoom() {
        var start = fresh.upperBound
        if state.next == Self.mostCodes {
            if kept == 0 { kept = start }
            start = kept
        }
        if window.count - Self.slack - start < Self.chunk {
            window += repeatElement(0, count: max(Self.chunk, start))
        }
        fresh = start..<start
    }

    private mutating func run(_ bytes: RawSpan, upTo limit: Int) {
        var end = fresh.upperBound
        stop = Self.run(&state, bytes, &window, &strings, from: &end, upTo: limit)
        fresh = fresh.lowerBound..<end
    }

    /// Static, as two spans of one value are an overlap to the compiler.
    private static func run(
        _ state: inout GIFCodeState, _ bytes: RawSpan, _ window: inout [UInt8], _ strings: inout [UInt64],
        from end: inout Int, upTo limit: Int
    ) -> GIFCodeState.Stop {
        var window = window.mutableSpan
        var windowBytes = window.mutableBytes
        var strings = strings.mutableSpan
        return state.run(bytes, &windowBytes, &strings, from: &end, upTo: limit)
    }
}

/// Where the reading of codes stands.
private struct GIFCodeState {
    let clearCode: Int
    /// The least code that has no string yet.
    private(set) var next = 0
    private var width = 0
    /// The string that was put out last.
    private var last = 0..<0
    private var input: GIFBitReader

    /// Why no more was put out: the room is full, or a clear code came, the end or a code that is not defined.
    enum Stop { case full, cleared, over, undefined }

    init(offset: Int, indexBits: Int) {
        clearCode = 1 << indexBits
        input = GIFBitReader(offset: offset)
    }

    mutating func clear() {
        // The first code has none before it that it could continue. What it defines all the same takes the place of the
        // end code, which is never looked up.
        next = clearCode + 1
        width = clearCode.trailingZeroBitCount + 1
        last = 0..<0
    }

    /// Reads codes and puts their strings out at `end`, until it has passed `limit`. All that is read and written is
    /// held against the bounds of the spans.
    mutating func run(
        _ bytes: RawSpan, _ window: inout MutableRawSpan, _ strings: inout MutableSpan<UInt64>,
        from end: inout Int, upTo limit: Int
    ) -> Stop {
        // Copies that the optimiser can keep in registers.
        var (state, place) = (self, end)
        defer { (self, end) = (state, place) }
        while place < limit {
            guard let code = state.input.read(state.width, from: bytes) else { return .over }
            if code & ~1 == state.clearCode { return code == state.clearCode ? .cleared : .over }
            if state.next < GIFUnpacker.mostCodes {
                strings[state.next] = UInt64(state.last.lowerBound) << 16 | UInt64(state.last.count + 1)
                state.next += 1
                if state.next == 1 << state.width, state.width < 12 { state.width += 1 }
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
    /// Copies forwards, so that what is copied may be copied again; writes up to seven bytes more.
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

/// Codes of some bits each, the least significant bit first, from blocks that each begin with their length.
private struct GIFBitReader {
    private var offset: Int
    private var leftInBlock = 0
    private var bits: UInt64 = 0
    private var count = 0

    /// Reads the blocks from `offset` of the file on.
    init(offset: Int) { self.offset = offset }

    /// The next code of `width` bits, at most 12; nil when the blocks are over.
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
