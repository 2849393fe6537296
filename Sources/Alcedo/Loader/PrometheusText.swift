extension LoadMetrics {
    /// The metrics in the text format of Prometheus (version 0.0.4), with names that begin with `alcedo_`.
    ///
    /// Return it from the path that Prometheus scrapes, with the media type `text/plain; version=0.0.4`. Durations are
    /// in seconds, and waiting is measured separately from work. The buckets of a histogram are those of
    /// ``DurationHistogram/cumulativeBuckets``.
    public var prometheusText: String {
        var text = PrometheusText()
        text.add(memory)
        if let disk { text.add(disk) }
        text.add(downloads)
        text.add(decoding)
        text.counter("coalesced_loads", coalescedLoads)
        return text.text
    }
}

private struct PrometheusText {
    private(set) var text = ""

    mutating func add(_ memory: MemoryStatistics) {
        counter("memory_hits", memory.hits)
        counter("memory_misses", memory.misses)
        counter("memory_stores", memory.stores)
        gauge("memory_entries", memory.count)
        gauge("memory_bytes", memory.byteCount)
    }

    mutating func add(_ disk: DiskStatistics) {
        counter("disk_hits", disk.hits)
        counter("disk_misses", disk.misses)
        counter("disk_stores", disk.stores)
        counter("disk_failures", disk.failures)
        counter("disk_evicted_entries", disk.evicted)
        counter("disk_expired_entries", disk.expired)
        counter("disk_damaged_entries", disk.damaged)
        gauge("disk_entries", disk.entryCount)
        gauge("disk_bytes", disk.byteCount)
        gauge("disk_maximum_bytes", disk.maximumBytes)
        histogram("disk_read", disk.reads)
    }

    mutating func add(_ downloads: DownloadStatistics) {
        gauge("downloads_running", downloads.running)
        gauge("downloads_queued", downloads.queued)
        counter("downloads_started", downloads.started)
        counter("downloads_coalesced", downloads.coalesced)
        counter("downloads_retried", downloads.retried)
        counter("downloads_resumed", downloads.resumed)
        counter("downloads_succeeded", downloads.succeeded)
        counter("downloads_failed", downloads.failed)
        counter("downloads_cancelled", downloads.cancelled)
        counter("received_bytes", downloads.bytesReceived)
        counter("wasted_bytes", downloads.bytesWasted)
        histogram("download_wait", downloads.slotWaits)
        histogram("download", downloads.transfers)
    }

    mutating func add(_ decoding: DecodeStatistics) {
        gauge("decodes_waiting", decoding.waiting)
        histogram("decode_wait", decoding.waits)
        histogram("decode", decoding.decodes)
        histogram("process", decoding.processes)
        histogram("encode", decoding.encodes)
    }

    mutating func counter(_ name: String, _ value: Int) { add("\(name)_total", "counter", value) }

    private mutating func gauge(_ name: String, _ value: Int) { add(name, "gauge", value) }

    private mutating func add(_ name: String, _ type: String, _ value: Int) {
        text += "# TYPE alcedo_\(name) \(type)\nalcedo_\(name) \(value)\n"
    }

    private mutating func histogram(_ name: String, _ histogram: DurationHistogram) {
        let name = "alcedo_\(name)_seconds"
        text += "# TYPE \(name) histogram\n"
        for bucket in histogram.cumulativeBuckets {
            text += "\(name)_bucket{le=\"\(bucket.upperBound / .seconds(1))\"} \(bucket.count)\n"
        }
        text += "\(name)_bucket{le=\"+Inf\"} \(histogram.count)\n"
        text += "\(name)_sum \(histogram.total / .seconds(1))\n\(name)_count \(histogram.count)\n"
    }
}
