/// The version of the tool and the library. Nothing has been released yet; see CHANGELOG.md.
enum ToolVersion {
    static let text = "0.1.0-dev"
}
