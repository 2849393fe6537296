extension LoadControl {
    /// Controls to which a load's progress is passed on. Usually there is only one.
    struct Followers {
        private var first: LoadControl?
        private var others: [ObjectIdentifier: LoadControl] = [:]

        mutating func insert(_ follower: LoadControl) {
            if first == nil, others.isEmpty { first = follower }
            if first !== follower { others[ObjectIdentifier(follower)] = follower }
        }

        mutating func remove(_ follower: LoadControl) {
            if first === follower { first = nil } else { others[ObjectIdentifier(follower)] = nil }
        }

        func forEach(_ body: (LoadControl) -> Void) {
            if let first { body(first) }
            if !others.isEmpty { others.values.forEach(body) }
        }
    }
}
