extension IndexFile {
    /// The changes of other stores that the file records.
    struct Changes: Sendable {
        /// The stores' records, in order, except for entries that this store has changed since.
        private(set) var records: [IndexRecord] = []
        /// An index of everything recorded, if the file was read from its beginning. ``records`` is empty in that case.
        private(set) var all: DiskIndex?
        /// Whether another store has changed something.
        private(set) var areExternal = false

        var isEmpty: Bool { records.isEmpty && all == nil }

        /// Whether another store has written an entry of that name that hasn't expired.
        func hasNew(_ name: EntryName, at now: UInt32) -> Bool {
            if let all { return if case .present = all.presence(of: name, at: now) { true } else { false } }
            for case .entry(name, let entry) in records.reversed() { return entry.expires == 0 || entry.expires > now }
            return false
        }

        /// Takes the index made from the whole file, so that it isn't copied when it is changed.
        mutating func takeAll() -> DiskIndex? { all.take() }

        /// Adds what another store has recorded.
        mutating func add(_ later: [IndexRecord], at now: UInt32) {
            guard !later.isEmpty else { return }
            areExternal = true
            if all == nil { records += later }
            for record in later { all?.apply(record, at: now) }
        }

        /// Replaces what was read before with an index of everything recorded.
        mutating func replace(with all: DiskIndex, areExternal: Bool) {
            records = []
            self.all = all
            self.areExternal = self.areExternal || areExternal
        }

        /// Called when this store has recorded its own changes: what was read about those entries is out of date.
        mutating func noteOwn(_ own: [IndexRecord], at now: UInt32) {
            for record in own { all?.apply(record, at: now) }
            guard !records.isEmpty else { return }
            let names = Set(own.map(\.name))
            records.removeAll { names.contains($0.name) }
        }

        /// Called when this store has recorded what it knows about entries without having changed them.
        mutating func noteFound(_ found: [IndexRecord], at now: UInt32) {
            for record in found { all?.apply(record, at: now) }
            guard !records.isEmpty else { return }
            let names = Set(records.map(\.name))
            records += found.filter { names.contains($0.name) }
        }
    }
}
