/// The parameters of a processor, which distinguish it from others of its type.
///
/// What is added is kept apart by its type and length, so that no two lists of parameters have the same identity.
public struct ProcessorIdentity: Sendable {
    private enum Tag: UInt64 {
        case number, real, truth, text, bytes, type
    }

    /// The first words, enough for most chains: an array would have to be allocated for each request. A text's length
    /// precedes it. Those not in use are zero.
    private var firstWords: Sixteen
    /// What the first words are, four bits each.
    private var firstTags: UInt64 = 0
    /// Each word after its tag.
    private var otherWords: [UInt64] = []
    private var count = 0
    /// Of everything.
    private(set) var hash: UInt64 = 0

    private typealias Four = (UInt64, UInt64, UInt64, UInt64)
    private typealias Sixteen = (Four, Four, Four, Four)

    init() {
        let four: Four = (0, 0, 0, 0)
        firstWords = (four, four, four, four)
    }

    /// Everything, in order.
    var words: [UInt64] {
        let first = withUnsafeBytes(of: firstWords) { Array($0.bindMemory(to: UInt64.self).prefix(count)) }
        return [firstTags] + first + otherWords
    }

    /// Whether the same was added to both.
    func isSame(as other: ProcessorIdentity) -> Bool {
        count == other.count && firstTags == other.firstTags
            && firstWords.0 == other.firstWords.0 && firstWords.1 == other.firstWords.1
            && firstWords.2 == other.firstWords.2 && firstWords.3 == other.firstWords.3
            && otherWords == other.otherWords
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

    @inline(__always) private mutating func add(_ tag: Tag, _ word: UInt64) {
        hash = FastHash.hash(tag.rawValue, word, after: hash)
        if count < MemoryLayout<Sixteen>.size / 8 {
            withUnsafeMutableBytes(of: &firstWords) {
                $0.storeBytes(of: word, toByteOffset: count &* 8, as: UInt64.self)
            }
            firstTags = firstTags &<< 4 | tag.rawValue
        } else {
            addOther(tag, word)
        }
        count &+= 1
    }

    /// Apart, so that a value that has room takes a few instructions.
    @inline(never) private mutating func addOther(_ tag: Tag, _ word: UInt64) {
        otherWords.append(tag.rawValue)
        otherWords.append(word)
    }

    private mutating func add(_ tag: Tag, _ value: some Collection<UInt8>) {
        if value.withContiguousStorageIfAvailable({ add(tag, UnsafeRawBufferPointer($0)) }) == nil {
            Array(value).withUnsafeBytes { add(tag, $0) }
        }
    }

    /// The length, and then words with zeros after the end.
    private mutating func add(_ tag: Tag, _ bytes: UnsafeRawBufferPointer) {
        add(tag, UInt64(bytes.count))
        var offset = 0
        while bytes.count - offset >= 8 {
            add(tag, bytes.word(at: offset))
            offset += 8
        }
        if offset < bytes.count { add(tag, bytes.lastWord(from: offset)) }
    }
}
