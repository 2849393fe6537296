/// Counts handles as waiters from the moment they are returned, before their Tasks run.
extension LoadPath {
    /// Announces a picture's load. It may need a download that another load shares now and cancels next.
    func announceImage(_ request: ImageRequest) -> Arrival {
        let key = ImageKey(request, in: scope)
        return Arrival(
            image: flights.announce(FlightKey(key, request), request.priority),
            download: downloads.announce(FlightKey(key.resource, request), request.priority))
    }

    /// Announces a load of bytes.
    func announceData(_ request: ImageRequest) -> Arrival {
        Arrival(download: downloads.announce(FlightKey(ResourceKey(request, in: scope), request), request.priority))
    }

    /// Takes back what has not arrived, and cancels what was held for it alone. May be called more than once.
    func withdraw(_ arrival: Arrival) async {
        if let image = arrival.image { await flights.withdraw(image) }
        if let download = arrival.download { await downloads.withdraw(download) }
    }
}
