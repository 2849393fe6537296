/// The known reasons why cases take more than their baselines.
enum SlowerReasons {
    struct Reason {
        /// Names of cases. A name that ends with `*` stands for all that begin with it.
        let cases: [String]
        let text: String

        func explains(_ name: String) -> Bool {
            cases.contains { $0.hasSuffix("*") ? name.hasPrefix($0.dropLast()) : name == $0 }
        }
    }

    /// The reasons of these rows, in the order of ``all``, each with its rows; those without a known reason come last.
    static func grouped(_ rows: [ReportRow]) -> [(reason: String, rows: [ReportRow])] {
        var rest = rows
        var groups: [(reason: String, rows: [ReportRow])] = []
        for reason in all {
            let explained = rest.filter { reason.explains($0.name) }
            rest.removeAll { reason.explains($0.name) }
            if !explained.isEmpty { groups.append((reason.text, explained)) }
        }
        return rest.isEmpty ? groups : groups + [("no reason known yet.", rest)]
    }

    /// The first reason that explains a case is its reason.
    static let all = memory + loads + disk + codecs + classic

    private static let memory = [
        Reason(
            cases: ["memory/hit-sync", "memory/hit-request", "memory/hit-sized"],
            text: """
                The baseline hashes the URL and looks in a table. Alcedo also makes a key of the whole request, locks \
                the cache, checks whether the response is still fresh, and counts the hit.
                """),
        Reason(
            cases: ["memory/hit-await-*"],
            text: """
                The baseline has a prepared key and nothing but a dictionary and a lock. Alcedo makes a key of a URL, \
                and checks freshness. Tasks that do nothing but hit wait for one lock (Decision 26).
                """),
        Reason(
            cases: ["memory/others-*"],
            text: "The other cache gets a prepared key. Alcedo gets a URL and makes the key."),
        Reason(
            cases: ["memory/store-*"],
            text: """
                A store enters the cache's actor, checks that its key hasn't been removed since the load began, and \
                evicts an image that remains findable while the program holds it. The baseline has one key and one list.
                """),
        Reason(
            cases: ["memory/insert-evict-*"],
            text: """
                An insertion also evicts, for which it compares up to 16 entries. The baselines look up or overwrite \
                one entry.
                """),
        Reason(
            cases: ["memory/hit-ratio-*"],
            text: """
                Most images of a feed are small and recur, and the large ones don't: in a small cache, more requests \
                hit, and fewer bytes (Decision 12).
                """),
        Reason(cases: ["http/hit-fresh"], text: "The response's freshness is compared with the present time."),
    ]

    private static let loads = [
        Reason(
            cases: ["pipeline/miss-tiny", "pipeline/miss-5000*"],
            text: """
                With a transport and a decoder that take no time, only Alcedo's own work is left: two flights with a \
                Task each, a child task for the transfer, a slot, HTTP's rules and a store in memory. The speed of \
                this case was given up for straight code (Decision 25). `pipeline/miss-default` has a real transport, \
                codec and disk.
                """),
        Reason(
            cases: ["pipeline/waiting-heap"],
            text: "A waiting load is two suspended Tasks with their frames. The baseline is one (Decision 25)."),
        Reason(
            cases: ["pipeline/miss-default"],
            text: "The loader's own work, beside a transport, libjpeg and a file that do all the rest."),
        Reason(
            cases: ["pipeline/zipf-*"],
            text: "The baseline awaits the transport for each request. It has no cache, keys, joins or slots."),
        Reason(
            cases: ["download/join-*"],
            text: "A caller also joins under a lock, with a priority and a way to leave. The baseline awaits one value."
        ),
        Reason(
            cases: ["download/small-*", "download/transport-*"],
            text: """
                A file crosses the transport's thread and the coordinator, with its limits and HTTP's rules, on two \
                cores that the server uses too. The baseline has no loader. With libcurl 7.83 to 8.1, each file takes \
                a new handle, because of an error in those versions.
                """),
        Reason(cases: ["events/miss-recorded"], text: "Each stage makes two events, and the recorder keeps them."),
        Reason(
            cases: ["view/player-60"],
            text: "The baseline decodes the same frames. The players also wake the main actor when frames are due."),
        Reason(
            cases: ["preview/jpeg-12-feeds"],
            text: "The baseline has the whole file. The preview's decoder stops at the end of each part."),
    ]

    private static let disk = [
        Reason(
            cases: ["disk/read-*"],
            text: "The checksum of the entry is verified, and its metadata read. The baseline only reads."),
        Reason(
            cases: ["disk/hit-10k-seam"],
            text: "A tier chooses between a disk cache and another store, in one more function."),
        Reason(
            cases: ["disk/hit-10k-wrapped"],
            text: "Each call of a store of the program has a Task, and one more for its deadline (Decision 30)."),
        Reason(
            cases: ["disk/hit-*"],
            text: """
                As for `disk/read`: checksum and metadata. Also, the store's actor looks in its index and records the \
                use.
                """),
        Reason(
            cases: ["disk/write-*", "disk/store-cpu-*"],
            text: """
                A write takes the lock of the directory, checks that the directory is still the same, and adds a \
                record to the index file. The baseline only makes the file.
                """),
        Reason(
            cases: ["disk/open-100k-files", "disk/sweep-100k"],
            text: "Names are parsed and compared with the index. The baseline only lists the files."),
        Reason(
            cases: ["disk/picture-*"],
            text: """
                A load is two flights with their Tasks, and verifies the entry. An image that takes longer to decode \
                than a change of threads goes to a decoding thread and back.
                """),
        Reason(
            cases: ["disk/encrypted-*"],
            text: "The body is copied while it is decrypted and authenticated, and the entry's name is digested."),
        Reason(
            cases: ["server/encoded-warm"],
            text: "A key with the encoder's identity, a flight, the checksum and the response's freshness."),
    ]

    private static let codecs = [
        Reason(
            cases: ["decode/jpeg-12mp-first"],
            text: "The system must zero new memory for each image. The baseline decodes into one buffer."),
        Reason(
            cases: ["decode/*"],
            text: """
                The limits of the header are checked, the color profile is read, and each image gets memory of its \
                own. Most baselines decode into one buffer.
                """),
        Reason(
            cases: ["encode/*"],
            text: "Rows of RGBA are converted to those of the file. Most baselines get rows in that layout."),
    ]

    private static let classic = [
        Reason(
            cases: ["classic/join-1000*"],
            text: """
                A caller is a Task with a place in a flight. In the classic design, it is a handler in a dictionary, \
                which needs no Task.
                """),
        Reason(
            cases: ["classic/cancel*"],
            text: """
                A cancelled Task resumes when a thread of the pool is free, after all 10,000 cancellations. A classic \
                handler is called inside `cancel()`, so latencies can't be compared. A waiting load is two Tasks.
                """),
        Reason(
            cases: ["classic/disk-hit*"],
            text: """
                A load is two flights with their Tasks, and the checksum and freshness of the entry are read. The \
                classic design has neither.
                """),
        Reason(
            cases: ["classic/miss", "classic/miss-cpu", "classic/miss-p50", "classic/miss-p99", "classic/zipf-cpu"],
            text: """
                A load is two flights with their Tasks, a child task for the transfer, a slot and HTTP's rules. The \
                classic design calls the transport and a handler.
                """),
    ]
}
