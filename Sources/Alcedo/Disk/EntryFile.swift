package import Foundation

/// The file of one disk entry: the body as received, followed by the data needed to verify it.
///
/// The body comes first, so any image viewer can open the file. The tail follows it:
///
///     key          UTF-8
///     metadata     see ``EntryMetadata``
///     trailer      56 bytes, little endian: body length (8), offset of the tail (8), key length (4), metadata
///                  length (4), expiry in seconds since 1970 or 0 (8), checksum of the body (8), checksum of the
///                  tail up to here (8), magic (8)
///
/// New metadata is appended as a new tail. The last intact tail is in force, so a truncated or damaged tail leaves the
/// previous one in force. All tails share the same body. The checksums detect damage, not tampering.
package enum EntryFile {
    /// The reason why a file isn't a valid entry.
    package enum Defect: Error, Sendable, Equatable {
        case noFile, tooShort, wrongMagic, wrongLengths, wrongChecksum, wrongMetadata
        /// Intact, but of another key with the same digest.
        case otherKey
    }

    /// The contents of a file; shares its memory.
    package struct Contents: Sendable {
        package let body: Data
        package let tail: Tail
    }

    /// The last intact tail of a file.
    package struct Tail: Sendable {
        let place: Place
        /// The bytes that contain the tail.
        fileprivate let bytes: Data
    }

    package static let trailerLength = 56
    /// The maximum length of key and metadata together, in bytes. Entries that exceed it aren't stored.
    package static let tailByteLimit = 128 << 10
    /// "ALCEDO" and the version of this layout.
    private static let magic: UInt64 = 0x0002_4F44_4543_4C41
    private static let bodySeed: UInt64 = 1
    private static let tailSeed: UInt64 = 6

    // MARK: Writing

    /// The tail that follows a body in its file; nil when it exceeds the maximum length.
    package static func tail(
        of body: Body, key: StoredKey, metadata: Data, expires: Int64? = nil
    ) throws(FileError) -> Data? {
        guard case .file(let file) = body else {
            return body.data.flatMap { tail(of: $0, key: key, metadata: metadata, expires: expires) }
        }
        let checksum = try Checksum.of(count: file.count, seed: bodySeed) { (start, end) throws(FileError) in
            try file.read(from: start, to: end)
        }
        return tail(key, metadata, expires, bodyLength: file.count, checksum, at: file.count)
    }

    /// The tail that follows a body in memory; nil when it exceeds the maximum length.
    package static func tail(
        of body: Data, key: StoredKey, metadata: Data, expires: Int64? = nil
    ) -> Data? {
        tail(
            key, metadata, expires, bodyLength: body.count,
            body.withUnsafeBytes { Checksum.of($0, seed: bodySeed) }, at: body.count)
    }

    /// The tail with new metadata to append to a file of `length` bytes whose last tail is `old`.
    package static func tail(
        after old: Tail, inFileOf length: Int, key: StoredKey, metadata: Data, expires: Int64?
    ) -> Data? {
        tail(key, metadata, expires, bodyLength: old.place.bodyLength, old.place.bodyChecksum, at: length)
    }

    private static func tail(
        _ key: StoredKey, _ metadata: Data, _ expires: Int64?, bodyLength: Int, _ bodyChecksum: UInt64, at start: Int
    ) -> Data? {
        var tail = Data(key.text.utf8)
        let keyLength = tail.count
        guard keyLength + metadata.count <= tailByteLimit else { return nil }
        tail.reserveCapacity(keyLength + metadata.count + trailerLength)
        tail.append(metadata)
        tail.append(integer: UInt64(bodyLength))
        tail.append(integer: UInt64(start))
        tail.append(integer: UInt32(keyLength))
        tail.append(integer: UInt32(metadata.count))
        // 0 means never. An expiry before 1970 is stored as just after it.
        tail.append(integer: expires.map { max(1, $0) } ?? 0)
        tail.append(integer: bodyChecksum)
        tail.append(integer: tail.withUnsafeBytes { FastHash.hash($0, seed: tailSeed) })
        tail.append(integer: magic)
        return tail
    }

    // MARK: Reading

    /// The contents of a file under `key`. Throws unless everything is as it was written.
    package static func contents(of file: Data, key: StoredKey) throws(Defect) -> Contents {
        let checked = file.withUnsafeBytes { bytes -> Result<Place, Defect> in
            lastPlace(in: bytes, fileLength: bytes.count).flatMap { place in
                guard place.holds(key, in: bytes) else { return .failure(.otherKey) }
                return place.hasBody(in: bytes) ? .success(place) : .failure(.wrongChecksum)
            }
        }
        let place = try checked.get()
        let start = file.startIndex
        return Contents(body: file[start..<start + place.bodyLength], tail: Tail(place: place, bytes: file))
    }

    /// The reason why a file isn't an intact entry with this name, whatever its key; nil if it is.
    static func defect(of file: Data, name: EntryName) -> Defect? {
        do throws(Defect) {
            let tail = try lastTail(of: file, fileLength: file.count)
            let text = String(decoding: tail.key, as: UTF8.self)
            guard EntryMetadata(tail.metadata) != nil else { return .wrongMetadata }
            guard EntryName.digest(ofKey: text) == name.key, isSource(name.source, ofKey: text) else {
                return .otherKey
            }
            return file.withUnsafeBytes { tail.place.hasBody(in: $0) } ? nil : .wrongChecksum
        } catch {
            return error
        }
    }

    /// Whether a key begins with the source that has this digest. The source is the whole key or ends at a line break.
    private static func isSource(_ digest: UInt64, ofKey key: String) -> Bool {
        if EntryName.digest(ofSource: key) == digest { return true }
        return key.utf8.indices.contains { place in
            key.utf8[place] == 0x0A && EntryName.digest(ofSource: String(key[..<place])) == digest
        }
    }

    /// Finds the last intact tail of a file in the file's last bytes: either the whole file, or enough bytes for a tail
    /// and its predecessor. In fewer bytes, only a tail that ends the file is found. The body isn't checked.
    package static func lastTail(of end: Data, fileLength: Int) throws(Defect) -> Tail {
        let place = try end.withUnsafeBytes { lastPlace(in: $0, fileLength: fileLength) }.get()
        return Tail(place: place, bytes: end)
    }

    /// The number of bytes at the end of a file in which ``lastTail(of:fileLength:)`` finds a tail.
    package static let endLength = 2 * (tailByteLimit + trailerLength)
    /// The number of bytes at the end of a file that contain nearly every tail.
    package static let usualEndLength = 4 << 10

    /// The position of a tail in the given bytes, and its fields.
    struct Place: Sendable {
        let end: Int
        let keyLength: Int
        let metadataLength: Int
        let bodyLength: Int
        let bodyChecksum: UInt64
        let expires: Int64

        var start: Int { end - trailerLength - metadataLength - keyLength }

        func holds(_ key: StoredKey, in bytes: UnsafeRawBufferPointer) -> Bool {
            var text = key.text
            return text.withUTF8 { text in
                guard text.count == keyLength else { return false }
                guard let own = bytes.baseAddress, let others = text.baseAddress else { return text.isEmpty }
                return memcmp(own + start, others, keyLength) == 0
            }
        }

        /// Whether the body is intact. The bytes must start at the beginning of the file.
        func hasBody(in bytes: UnsafeRawBufferPointer) -> Bool {
            Checksum.of(UnsafeRawBufferPointer(rebasing: bytes[..<bodyLength]), seed: bodySeed) == bodyChecksum
        }
    }

    private static func lastPlace(in bytes: UnsafeRawBufferPointer, fileLength: Int) -> Result<Place, Defect> {
        let last = place(endingAt: bytes.count, in: bytes, fileLength)
        if case .success = last { return last }
        // If only part of a long tail was read, its metadata could look like a tail.
        guard bytes.count >= min(fileLength, endLength) else { return last }
        // Skip metadata that was being appended when the program was killed.
        var end = bytes.count - 1
        while end >= max(trailerLength, bytes.count - endLength) {
            if bytes.integer(at: end - 8) == magic {
                let earlier = place(endingAt: end, in: bytes, fileLength)
                if case .success = earlier { return earlier }
            }
            end -= 1
        }
        return last
    }

    private static func place(
        endingAt end: Int, in bytes: UnsafeRawBufferPointer, _ fileLength: Int
    ) -> Result<Place, Defect> {
        guard end >= trailerLength else { return .failure(.tooShort) }
        let trailer = end - trailerLength
        guard bytes.integer(at: trailer + 48) == magic else { return .failure(.wrongMagic) }
        let bodyLength = bytes.integer(at: trailer, as: UInt64.self)
        let start = bytes.integer(at: trailer + 8, as: UInt64.self)
        let keyLength = Int(bytes.integer(at: trailer + 16, as: UInt32.self))
        let metadataLength = Int(bytes.integer(at: trailer + 20, as: UInt32.self))
        let length = keyLength + metadataLength + trailerLength
        // The offset of the given bytes in the file.
        let offset = fileLength - bytes.count
        guard offset >= 0, length <= min(end, tailByteLimit + trailerLength),
            start == UInt64(offset + end - length), bodyLength <= start
        else { return .failure(.wrongLengths) }
        let checked = UnsafeRawBufferPointer(rebasing: bytes[(end - length)..<(trailer + 40)])
        guard FastHash.hash(checked, seed: tailSeed) == bytes.integer(at: trailer + 40, as: UInt64.self) else {
            return .failure(.wrongChecksum)
        }
        return .success(
            Place(
                end: end, keyLength: keyLength, metadataLength: metadataLength,
                bodyLength: Int(bodyLength), bodyChecksum: bytes.integer(at: trailer + 32),
                expires: bytes.integer(at: trailer + 24)))
    }
}

extension EntryFile.Tail {
    package var key: Data { part(place.start, place.keyLength) }

    package var metadata: Data { part(place.start + place.keyLength, place.metadataLength) }

    private func part(_ offset: Int, _ length: Int) -> Data {
        let start = bytes.startIndex + offset
        return bytes[start..<start + length]
    }

    /// The expiry in seconds since 1970; nil if the entry has none.
    package var expires: Int64? { place.expires == 0 ? nil : place.expires }

    var bodyLength: Int { place.bodyLength }

    func holds(_ key: StoredKey) -> Bool { self.key.elementsEqual(key.text.utf8) }
}
