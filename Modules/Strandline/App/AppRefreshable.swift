/// A part of an app that looks into history for what it has missed.
@MainActor public protocol AppRefreshable: AnyObject {
  /// Looks into history, and does what is to be done for what is new there.
  func refresh() async
}

extension AppStore: AppRefreshable {}
