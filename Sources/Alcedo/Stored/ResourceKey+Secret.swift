extension ResourceKey {
    /// The URL without its user name and password, and everything else that selects the bytes, as one text, and whether
    /// that is more than the loader's policies.
    var splitSecret: (text: String, secret: String, isPrivate: Bool) {
        let (text, user) = text.splitUserInfo
        return (text, selectors + (user.map { "\nuser info \($0)" } ?? ""), isPrivate || user != nil)
    }
}
