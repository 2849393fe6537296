/// The parameters of a processor, which distinguish it from others of its type.
///
/// What is added is kept apart by its type and length, so that no two lists of parameters have the same identity.
public struct ProcessorIdentity: Sendable, Hashable {
    private enum Tag: UInt64 {
        case end, number, real, truth, text, bytes, type
    }

    /// Before each value, its tag and length.
    private(set) var words: [UInt64] = []

    init() { words.reserveCapacity(48) }

    /// Adds a whole number.
    public mutating func add(_ value: Int) { add(.number, UInt64(bitPattern: Int64(value))) }

    /// Adds a number. 0 and -0 differ, as do numbers with different bits.
    public mutating func add(_ value: Double) { add(.real, value.bitPattern) }

    /// Adds a Boolean.
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

    /// Adds the type of a processor, which is the same only in this process.
    mutating func add(_ type: any ImageProcessing.Type) {
        add(.type, UInt64(UInt(bitPattern: ObjectIdentifier(type))))
    }

    /// Ends the parameters of a processor.
    mutating func end() { words.append(Tag.end.rawValue) }

    private mutating func add(_ tag: Tag, _ value: UInt64) {
        words.append(tag.rawValue)
        words.append(value)
    }

    private mutating func add(_ tag: Tag, _ value: some Collection<UInt8>) {
        if value.withContiguousStorageIfAvailable({ add(tag, UnsafeRawBufferPointer($0)) }) == nil {
            Array(value).withUnsafeBytes { add(tag, $0) }
        }
    }

    private mutating func add(_ tag: Tag, _ bytes: UnsafeRawBufferPointer) {
        words.append(tag.rawValue | UInt64(bytes.count) << 8)
        let whole = bytes.count & ~7
        for offset in stride(from: 0, to: whole, by: 8) {
            words.append(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
        }
        if whole < bytes.count {
            words.append(bytes[whole...].reversed().reduce(0) { $0 << 8 | UInt64($1) })
        }
    }
}
