import Foundation

/// The parameters of a processor, which distinguish it from others of its type.
///
/// What is added is kept apart by its type and length, so that no two lists of parameters have the same identity.
public struct ProcessorIdentity: Sendable {
    private enum Tag: UInt64 {
        case number, real, truth, text, bytes, type
    }

    /// The first words, enough for most chains: an array would have to be allocated for each request. Each value
    /// follows its tag and length. There is always an even number of words, so that room is checked half as often.
    private var firstWords: (Sixteen, Sixteen)
    private var otherWords: [UInt64] = []
    private var count = 0
    /// Of all words.
    private(set) var hash: UInt64 = 0

    private typealias Four = (UInt64, UInt64, UInt64, UInt64)
    private typealias Sixteen = (Four, Four, Four, Four)

    init() {
        let four: Four = (0, 0, 0, 0)
        let sixteen: Sixteen = (four, four, four, four)
        firstWords = (sixteen, sixteen)
    }

    /// All words, in order.
    var words: [UInt64] { withFirstWords { Array($0.bindMemory(to: UInt64.self)) } + otherWords }

    private var sizeOfFirstWords: Int { min(count &* 8, MemoryLayout<(Sixteen, Sixteen)>.size) }

    private func withFirstWords<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withUnsafeBytes(of: firstWords) { body(UnsafeRawBufferPointer(rebasing: $0[..<sizeOfFirstWords])) }
    }

    /// Whether the same was added to both.
    func isSame(as other: ProcessorIdentity) -> Bool {
        count == other.count && otherWords == other.otherWords
            && withFirstWords { one in
                guard let address = one.baseAddress else { return true }
                return other.withFirstWords { $0.baseAddress.map { memcmp(address, $0, one.count) == 0 } ?? true }
            }
    }

    /// Adds a whole number.
    @inline(__always)
    public mutating func add(_ value: Int) { add(.number, UInt64(bitPattern: Int64(value))) }

    /// Adds a number. 0 and -0 differ, as do numbers with different bits.
    @inline(__always)
    public mutating func add(_ value: Double) { add(.real, value.bitPattern) }

    /// Adds a Boolean.
    @inline(__always)
    public mutating func add(_ value: Bool) { add(.truth, value ? 1 : 0) }

    /// Adds a string.
    public mutating func add(_ value: String) { add(.text, value.utf8) }

    /// Adds bytes.
    public mutating func add(_ value: some Collection<UInt8>) { add(.bytes, value) }

    /// Adds the case of an enumeration.
    public mutating func add<Value: RawRepresentable<String>>(_ value: Value) { add(value.rawValue) }

    /// Adds a value, or that there is none.
    public mutating func add<Value>(_ value: Value?, _ adding: (inout ProcessorIdentity, Value) -> Void) {
        add(value != nil)
        if let value { adding(&self, value) }
    }

    /// Begins the parameters of a processor. Its type is the same only in this process.
    @inline(__always)
    mutating func add(_ type: any ImageProcessing.Type) {
        add(.type, UInt64(UInt(bitPattern: ObjectIdentifier(type))))
    }

    @inline(__always) private mutating func add(_ tag: Tag, _ value: UInt64) { append(tag.rawValue, value) }

    @inline(__always) private mutating func append(_ first: UInt64, _ second: UInt64) {
        hash = FastHash.hash(first, second, after: hash)
        let place = count &* 8
        if place < MemoryLayout<(Sixteen, Sixteen)>.size {
            withUnsafeMutableBytes(of: &firstWords) {
                $0.storeBytes(of: first, toByteOffset: place, as: UInt64.self)
                $0.storeBytes(of: second, toByteOffset: place &+ 8, as: UInt64.self)
            }
        } else {
            appendOthers(first, second)
        }
        count &+= 2
    }

    /// Apart, so that a value that has room takes a few instructions.
    @inline(never) private mutating func appendOthers(_ first: UInt64, _ second: UInt64) {
        otherWords.append(first)
        otherWords.append(second)
    }

    private mutating func add(_ tag: Tag, _ value: some Collection<UInt8>) {
        if value.withContiguousStorageIfAvailable({ add(tag, UnsafeRawBufferPointer($0)) }) == nil {
            Array(value).withUnsafeBytes { add(tag, $0) }
        }
    }

    /// The first eight bytes follow the tag and length, and the others follow as pairs, with zeros after the last one.
    private mutating func add(_ tag: Tag, _ bytes: UnsafeRawBufferPointer) {
        append(tag.rawValue | UInt64(bytes.count) << 8, bytes.wordOrEnd(at: 0))
        var offset = 8
        while offset < bytes.count {
            append(bytes.wordOrEnd(at: offset), bytes.wordOrEnd(at: offset + 8))
            offset += 16
        }
    }
}

extension UnsafeRawBufferPointer {
    /// The eight bytes there, with zeros in place of those beyond the end.
    @inline(__always) fileprivate func wordOrEnd(at offset: Int) -> UInt64 {
        if count - offset >= 8 { return word(at: offset) }
        return offset < count ? lastWord(from: offset) : 0
    }
}
