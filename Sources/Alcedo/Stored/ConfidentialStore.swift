/// A store whose entries must not lie on a disk unencrypted, so a loader doesn't receive bodies for it into files.
protocol ConfidentialStore: ImageStore {
    var isConfidential: Bool { get }
}
