extension ResourceKey {
    /// The URL without its user name and password, and everything else that selects the bytes, as one text.
    var splitSecret: (text: String, secret: String) {
        let (text, user) = text.splitUserInfo
        return (text, selectors + (user.map { "\nuser info \($0)" } ?? ""))
    }
}
