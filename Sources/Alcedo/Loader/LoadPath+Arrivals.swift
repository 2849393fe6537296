/// Counts handles as waiters from the moment they are returned, before their Tasks run.
extension LoadPath {
    /// Announces the load of an image. It may need a download that another load shares and would otherwise cancel
    /// before this one arrives.
    func announceImage(_ request: ImageRequest) -> Arrival {
        let request = request.resolved(policies)
        let key = ImageKey(request, in: scope)
        return Arrival(
            image: flights.announce(FlightKey(key, request), request.priority),
            download: downloads.announce(FlightKey(key.resource, request), request.priority))
    }

    /// Announces a load of bytes.
    func announceData(_ request: ImageRequest) -> Arrival {
        let request = request.resolved(policies)
        return Arrival(
            download: downloads.announce(FlightKey(ResourceKey(request, in: scope), request), request.priority))
    }

    /// Withdraws an announcement that hasn't arrived, and cancels what was held only for it. May be called more than
    /// once.
    func withdraw(_ arrival: Arrival) async {
        if let image = arrival.image { await flights.withdraw(image) }
        if let download = arrival.download { await downloads.withdraw(download) }
    }

    /// Like ``withdraw(_:)``, at once: nothing begins for the announcement from now on.
    func drop(_ arrival: Arrival) {
        if let image = arrival.image { flights.drop(image) }
        if let download = arrival.download { downloads.drop(download) }
    }
}
