extension ImageLoaderError {
    /// Throws unless a setting is in its range. nil means a default, and is always valid.
    static func require<Value: Comparable>(
        _ name: String, _ value: Value?, least: Value, most: Value? = nil
    ) throws(ImageLoaderError) {
        // Written so that NaN is in no range.
        guard let value, !(value >= least && most.map { value <= $0 } ?? true) else { return }
        let range = most.map { "from \(least) to \($0)" } ?? "at least \(least)"
        throw .unsupportedConfiguration("\(name) is \(value), and must be \(range)")
    }
}
