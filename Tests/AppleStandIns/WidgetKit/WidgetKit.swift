// swift-format-ignore-file
// A stand-in for WidgetKit, and for SwiftUI's declarations about widgets; see Tests/AppleStandIns/README.md. Nothing
// here runs.
public import AppleFoundation
@_exported public import SwiftUI

// swiftui/widgetconfiguration
@MainActor @preconcurrency public protocol WidgetConfiguration {
    associatedtype Body: WidgetConfiguration
    @MainActor @preconcurrency var body: Body { get }
}
extension Never: WidgetConfiguration {}

// swiftui/widget
@MainActor @preconcurrency public protocol Widget {
    associatedtype Body: WidgetConfiguration
    @MainActor @preconcurrency var body: Body { get }
    @MainActor @preconcurrency init()
}
extension Widget {
    @MainActor @preconcurrency public static func main() { fatalError() }
}

// widgetkit/timelineentry
public protocol TimelineEntry {
    var date: Date { get }
}

// widgetkit/timelinereloadpolicy
public struct TimelineReloadPolicy: Equatable, Sendable {
    public static let never = Self()
}

// widgetkit/timeline
public struct Timeline<EntryType: TimelineEntry> {
    public init(entries: [EntryType], policy: TimelineReloadPolicy) { fatalError() }
}

// widgetkit/timelineprovidercontext
public struct TimelineProviderContext {}

// widgetkit/timelineprovider
public protocol TimelineProvider {
    associatedtype Entry: TimelineEntry
    typealias Context = TimelineProviderContext
    func placeholder(in context: Context) -> Entry
    @preconcurrency func getSnapshot(in context: Context, completion: @escaping @Sendable (Entry) -> Void)
    @preconcurrency func getTimeline(in context: Context, completion: @escaping @Sendable (Timeline<Entry>) -> Void)
}

// widgetkit/staticconfiguration
@MainActor @preconcurrency public struct StaticConfiguration<Content: View>: WidgetConfiguration {
    @MainActor @preconcurrency public init<Provider: TimelineProvider>(
        kind: String, provider: Provider, @ViewBuilder content: @escaping (Provider.Entry) -> Content
    ) { fatalError() }
    public var body: Never { fatalError() }
}
