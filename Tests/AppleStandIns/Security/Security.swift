// swift-format-ignore-file
// A stand-in for Security, see Tests/AppleStandIns/README.md. Nothing here runs.
public class SecTrust {}
