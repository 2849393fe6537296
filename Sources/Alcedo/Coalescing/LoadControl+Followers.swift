extension LoadControl {
    /// Controls that share a load's progress. Most often there is only one.
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

        /// Whether there are any, and all revalidate a stale image themselves.
        ///
        /// - Parameters:
        ///   - callerCount: The number of callers, with those that have no control.
        ///   - other: A caller that doesn't count.
        func revalidate(_ callerCount: Int, except other: LoadControl?) -> Bool {
            var (count, revalidated, callers) = (0, 0, other == nil ? 0 : 1)
            forEach { follower in
                if follower === other { return }
                count += 1
                if follower.isRevalidated() { revalidated += 1 }
                if follower.revalidates { callers += 1 }
            }
            return count > 0 && revalidated == count && callerCount <= callers
        }
    }
}
