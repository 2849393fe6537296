import Alcedo
import Synchronization

/// The names of saved files that servers may choose with a Content-Disposition field.
///
/// Each name is used once, even by loads that end at the same time.
final class RemoteNames: Sendable {
    private let names: Mutex<FileNames>
    private let keepsEndings: Bool

    /// Returns nil if files are named after their URLs only.
    ///
    /// - Parameter names: The names that are planned for the URLs.
    init?(_ names: FileNames, _ options: LoadOptions) {
        guard options.usesRemoteNames else { return nil }
        self.names = Mutex(names)
        keepsEndings = options.keepsEndings
    }

    /// The name for a response: the server's, made safe and unique, or else the one planned for its URL.
    func name(for head: ResponseHead?, planned: FileNames.Planned) -> FileNames.Planned {
        guard let field = head?.headers.values(of: "Content-Disposition").first,
            let name = ContentDisposition.fileName(field)
        else { return planned }
        return names.withLock { $0.replace(planned, with: name, keepsEnding: keepsEndings) }
    }
}
