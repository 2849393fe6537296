/// The parameters of a processor, which distinguish it from others of its type.
///
/// Values are distinguished by their type and length. A processor adds its parameters in a fixed order, each with the
/// same function, so that processors with different parameters never have the same identity.
public struct ProcessorIdentity: Sendable {
    private enum Tag: UInt64 {
        case number, real, truth, text, bytes, type, end
    }

    /// The first words, stored without an array, which would have to be allocated for each request. Most chains need no
    /// more. The length of a text precedes it. Unused words are zero.
    private var firstWords: Sixteen
    /// The types of the first words, four bits each.
    private var firstTags: UInt64 = 0
    /// All further words, each after its tag.
    private var otherWords: [UInt64] = []
    private var count = 0
    /// The hash of everything that was added.
    private(set) var hash: UInt64 = 0
    /// Whether types are added by their names, which other processes know.
    private let isForDisk: Bool
    /// Whether a type was added by a name that only this process knows.
    private(set) var isOfProcess = false

    private typealias Four = (UInt64, UInt64, UInt64, UInt64)
    private typealias Sixteen = (Four, Four, Four, Four)

    init(forDisk isForDisk: Bool = false) {
        self.isForDisk = isForDisk
        let four: Four = (0, 0, 0, 0)
        firstWords = (four, four, four, four)
    }

    /// Everything that was added, in order.
    var words: [UInt64] {
        let first = withUnsafeBytes(of: firstWords) { Array($0.bindMemory(to: UInt64.self).prefix(count)) }
        return [firstTags] + first + otherWords
    }

    /// Whether the same values were added to both.
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

    /// Adds an optional value: whether it is nil and, if not, the value itself by calling `adding`.
    public mutating func add<Value>(_ value: Value?, _ adding: (inout ProcessorIdentity, Value) -> Void) {
        add(value != nil)
        if let value { adding(&self, value) }
    }

    /// Adds a processor that this one uses: its type and its parameters. Calling its ``ImageProcessing/identify(in:)``
    /// directly would leave out the type.
    public mutating func add(_ processor: any ImageProcessing) {
        processor.identifyWithType(in: &self)
        add(.end, 0)
    }

    /// Adds the type of a processor, before its parameters.
    @inline(__always)
    mutating func add(_ type: any ImageProcessing.Type) {
        if isForDisk { return addName(of: type) }
        add(.type, UInt64(UInt(bitPattern: ObjectIdentifier(type))))
    }

    @inline(never) private mutating func addName(of type: any ImageProcessing.Type) {
        add(.type, name(of: type).utf8)
    }

    /// Returns the name that the compiler gives the type. Unlike the name in the source, it is unique in the program.
    /// For a private or local type, it contains an address, which may be another type's in the next process, so the
    /// result then differs from all names in other processes.
    mutating func name(of type: any ImageProcessing.Type) -> String {
        let name = _mangledTypeName(type) ?? String(reflecting: type)
        guard name.contains("$") else { return name }
        isOfProcess = true
        return "\(name) \(FastHash.ofProcess(name))"
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

    /// A separate function, so that adding a value that has room takes few instructions.
    @inline(never) private mutating func addOther(_ tag: Tag, _ word: UInt64) {
        otherWords.append(tag.rawValue)
        otherWords.append(word)
    }

    private mutating func add(_ tag: Tag, _ value: some Collection<UInt8>) {
        if value.withContiguousStorageIfAvailable({ add(tag, UnsafeRawBufferPointer($0)) }) == nil {
            Array(value).withUnsafeBytes { add(tag, $0) }
        }
    }

    /// Adds the length, and then the bytes as words, padded with zeros.
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
