extension EntryFile.Defect {
    /// Describes the damage to a person.
    var reason: String {
        switch self {
        case .noFile: "it isn't a regular file"
        case .tooShort: "the file is too short"
        case .wrongMagic: "the file isn't a cache entry"
        case .wrongLengths: "the lengths in the file are wrong"
        case .wrongChecksum: "the checksum is wrong"
        case .wrongMetadata: "the metadata is unreadable"
        case .otherKey: "the file belongs to another entry"
        }
    }
}
