/// What one row of the change log says.
package enum LogKind: Int64 {
  /// A life began.
  case insert = 1
  /// Properties took new values.
  case update = 2
  /// A life ended.
  case delete = 3
  /// Versions of a life that is not known here were parked.
  case parked = 4
  /// Fields that the model does not know took new values.
  case unknown = 5
}
