// swift-format-ignore-file
// A stand-in for SwiftUI, see Tests/AppleStandIns/README.md. Nothing here runs.
// Compiled once for each pass, because it shows the controls of UIKit or of AppKit.
@_exported import CoreGraphics
@_exported import Observation
#if canImport(UIKit)
@_exported import UIKit
#else
@_exported import AppKit
#endif

// MARK: Views

// swiftui/view
@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: View {
    public var body: Never { fatalError() }
}

extension Optional: View where Wrapped: View {
    public var body: Never { fatalError() }
}

/// A view whose type the documentation hides.
public struct SomeView: View {
    public var body: Never { fatalError() }
}

// swiftui/emptyview
public struct EmptyView: View {
    nonisolated public init() { fatalError() }
    public var body: Never { fatalError() }
}

// swiftui/tupleview
public struct TupleView<T>: View {
    public var body: Never { fatalError() }
}

public struct _ConditionalContent<TrueContent: View, FalseContent: View>: View {
    public var body: Never { fatalError() }
}

// swiftui/viewbuilder
@resultBuilder public enum ViewBuilder {
    public static func buildExpression<Content: View>(_ content: Content) -> Content { fatalError() }
    public static func buildBlock() -> EmptyView { fatalError() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { fatalError() }
    public static func buildBlock<each Content: View>(
        _ content: repeat each Content
    ) -> TupleView<(repeat each Content)> { fatalError() }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { fatalError() }
    public static func buildEither<T: View, F: View>(first: T) -> _ConditionalContent<T, F> { fatalError() }
    public static func buildEither<T: View, F: View>(second: F) -> _ConditionalContent<T, F> { fatalError() }
}

// swiftui/text
public struct Text: View, Equatable, Sendable {
    public init(_ content: some StringProtocol) { fatalError() }
    public var body: Never { fatalError() }
}

// swiftui/color
public struct Color: View, Hashable, Sendable {
    public static let clear = Color()
    public var body: Never { fatalError() }
}

// swiftui/image
public struct Image: Equatable, Sendable {
    public enum Orientation: UInt8, Sendable {
        case up, upMirrored, down, downMirrored, left, leftMirrored, right, rightMirrored
    }
    public enum ResizingMode: Sendable { case tile, stretch }

    nonisolated public init(
        _ cgImage: CGImage, scale: CGFloat, orientation: Image.Orientation = .up, label: Text
    ) { fatalError() }
    nonisolated public init(
        decorative cgImage: CGImage, scale: CGFloat, orientation: Image.Orientation = .up
    ) { fatalError() }
    nonisolated public func resizable(
        capInsets: EdgeInsets = EdgeInsets(), resizingMode: Image.ResizingMode = .stretch
    ) -> Image { fatalError() }
}

extension Image: View {
    public var body: Never { fatalError() }
}

// swiftui/edgeinsets
public struct EdgeInsets: Equatable, Sendable {
    public init() {}
}

// swiftui/progressview
public struct ProgressView<Label: View, CurrentValueLabel: View>: View {
    public var body: Never { fatalError() }
}
extension ProgressView where Label == EmptyView, CurrentValueLabel == EmptyView {
    nonisolated public init() { fatalError() }
    nonisolated public init<V: BinaryFloatingPoint>(value: V?, total: V = 1.0) { fatalError() }
}

// swiftui/button
public struct Button<Label: View>: View {
    public var body: Never { fatalError() }
}
extension Button where Label == Text {
    nonisolated public init(_ title: some StringProtocol, action: @escaping @MainActor () -> Void) { fatalError() }
}

// swiftui/toggle
public struct Toggle<Label: View>: View {
    public var body: Never { fatalError() }
}
extension Toggle where Label == Text {
    nonisolated public init(_ title: some StringProtocol, isOn: Binding<Bool>) { fatalError() }
}

// swiftui/horizontalalignment
public struct HorizontalAlignment: Equatable, Sendable {
    public static let center = Self()
}

// swiftui/vstack
public struct VStack<Content: View>: View {
    nonisolated public init(
        alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content
    ) { fatalError() }
    public var body: Never { fatalError() }
}

// swiftui/hstack
public struct HStack<Content: View>: View {
    nonisolated public init(spacing: CGFloat? = nil, @ViewBuilder content: () -> Content) { fatalError() }
    public var body: Never { fatalError() }
}

// swiftui/list
public struct List<SelectionValue: Hashable, Content: View>: View {
    public var body: Never { fatalError() }
}
extension List where SelectionValue == Never {
    nonisolated public init<Data: RandomAccessCollection, RowContent: View>(
        _ data: Data, @ViewBuilder rowContent: @escaping (Data.Element) -> RowContent
    ) where Content == ForEach<Data, Data.Element.ID, RowContent>, Data.Element: Identifiable { fatalError() }
}

// swiftui/foreach
public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content> {}
extension ForEach: View where Content: View {
    public var body: Never { fatalError() }
}

// swiftui/tabview
public struct TabView<SelectionValue: Hashable, Content: View>: View {
    public var body: Never { fatalError() }
}
extension TabView where SelectionValue == Int {
    nonisolated public init(@ViewBuilder content: () -> Content) { fatalError() }
}

// MARK: Modifiers

// swiftui/contentmode
public enum ContentMode: Hashable, Sendable { case fit, fill }

// swiftui/alignment
public struct Alignment: Equatable, Sendable {
    public static let center = Self()
}

// swiftui/anytransition
public struct AnyTransition: Sendable {
    public static let opacity = AnyTransition()
}

// swiftui/animation
public struct Animation: Equatable, Sendable {
    public static func easeInOut(duration: TimeInterval) -> Animation { fatalError() }
}

extension View {
    nonisolated public func animation<V: Equatable>(_ animation: Animation?, value: V) -> some View { SomeView.any() }
    nonisolated public func clipped(antialiased: Bool = false) -> some View { SomeView.any() }
    nonisolated public func frame(
        width: CGFloat? = nil, height: CGFloat? = nil, alignment: Alignment = .center
    ) -> some View { SomeView.any() }
    nonisolated public func id<ID: Hashable>(_ id: ID) -> some View { SomeView.any() }
    nonisolated public func onAppear(perform action: (() -> Void)? = nil) -> some View { SomeView.any() }
    nonisolated public func onChange<V: Equatable>(
        of value: V, initial: Bool = false, _ action: @escaping (_ oldValue: V, _ newValue: V) -> Void
    ) -> some View { SomeView.any() }
    nonisolated public func onChange<V: Equatable>(
        of value: V, initial: Bool = false, _ action: @escaping () -> Void
    ) -> some View { SomeView.any() }
    nonisolated public func onDisappear(perform action: (() -> Void)? = nil) -> some View { SomeView.any() }
    nonisolated public func padding(_ length: CGFloat) -> some View { SomeView.any() }
    nonisolated public func previewDisplayName(_ value: String?) -> some View { SomeView.any() }
    nonisolated public func scaledToFill() -> some View { SomeView.any() }
    nonisolated public func scaledToFit() -> some View { SomeView.any() }
    nonisolated public func tabItem<V: View>(@ViewBuilder _ label: () -> V) -> some View { SomeView.any() }
    nonisolated public func transition(_ transition: AnyTransition) -> some View { SomeView.any() }
}

extension SomeView {
    nonisolated static func any() -> SomeView { fatalError() }
}

// MARK: State

// swiftui/dynamicproperty
public protocol DynamicProperty {}

// swiftui/binding
@propertyWrapper public struct Binding<Value> {
    public init(get: @escaping @Sendable () -> Value, set: @escaping @Sendable (Value) -> Void) { fatalError() }
    public var wrappedValue: Value {
        get { fatalError() }
        nonmutating set { fatalError() }
    }
    public var projectedValue: Binding<Value> { fatalError() }
}

// swiftui/state
@propertyWrapper public struct State<Value>: DynamicProperty {
    public init(wrappedValue: Value) { fatalError() }
    public var wrappedValue: Value {
        get { fatalError() }
        nonmutating set { fatalError() }
    }
    public var projectedValue: Binding<Value> { fatalError() }
}
extension State: Sendable where Value: Sendable {}

// swiftui/environmentvalues
public struct EnvironmentValues {
    public var accessibilityReduceMotion: Bool { fatalError() }
    public var displayScale: CGFloat {
        get { fatalError() }
        set { fatalError() }
    }
}

// swiftui/environment
@propertyWrapper public struct Environment<Value>: DynamicProperty {
    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { fatalError() }
    public var wrappedValue: Value { fatalError() }
}

// MARK: Apps and previews

// swiftui/scene
@MainActor @preconcurrency public protocol Scene {
    associatedtype Body: Scene
    @SceneBuilder @MainActor @preconcurrency var body: Body { get }
}
extension Never: Scene {}

// swiftui/scenebuilder
@resultBuilder public enum SceneBuilder {
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { fatalError() }
}

// swiftui/windowgroup
public struct WindowGroup<Content: View>: Scene {
    nonisolated public init(@ViewBuilder content: () -> Content) { fatalError() }
    public var body: Never { fatalError() }
}

// swiftui/app
@MainActor @preconcurrency public protocol App {
    associatedtype Body: Scene
    @SceneBuilder @MainActor @preconcurrency var body: Body { get }
    @MainActor @preconcurrency init()
}
extension App {
    @MainActor @preconcurrency public static func main() { fatalError() }
}

// swiftui/previewprovider
@MainActor @preconcurrency public protocol PreviewProvider {
    associatedtype Previews: View
    @ViewBuilder @MainActor @preconcurrency static var previews: Previews { get }
}

// MARK: Views of UIKit and AppKit

#if canImport(UIKit)
// swiftui/uiviewcontrollerrepresentablecontext
@MainActor @preconcurrency public struct UIViewControllerRepresentableContext<Representable> {}

// swiftui/uiviewcontrollerrepresentable
@MainActor @preconcurrency public protocol UIViewControllerRepresentable: View where Body == Never {
    associatedtype UIViewControllerType: UIViewController
    typealias Context = UIViewControllerRepresentableContext<Self>
    @MainActor @preconcurrency func makeUIViewController(context: Context) -> UIViewControllerType
    @MainActor @preconcurrency func updateUIViewController(_ controller: UIViewControllerType, context: Context)
}
extension UIViewControllerRepresentable {
    public var body: Never { fatalError() }
}
#else
// swiftui/nsviewrepresentablecontext
@MainActor @preconcurrency public struct NSViewRepresentableContext<Representable> {}

// swiftui/nsviewrepresentable
@MainActor @preconcurrency public protocol NSViewRepresentable: View where Body == Never {
    associatedtype NSViewType: NSView
    typealias Context = NSViewRepresentableContext<Self>
    @MainActor @preconcurrency func makeNSView(context: Context) -> NSViewType
    @MainActor @preconcurrency func updateNSView(_ view: NSViewType, context: Context)
}
extension NSViewRepresentable {
    public var body: Never { fatalError() }
}
#endif
