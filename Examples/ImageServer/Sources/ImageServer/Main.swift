import ImageService

@main struct ImageServer {
    static func main() async throws { try await ImageService.run() }
}
