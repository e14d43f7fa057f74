// Apps import this one module and have all of them.
@_exported public import StrandlineAuthority
@_exported public import StrandlineHistory
@_exported public import StrandlineModels
@_exported public import StrandlineSettings
@_exported public import StrandlineStatus
@_exported public import StrandlineStorage
@_exported public import StrandlineSyncEngine
@_exported public import StrandlineTransport
@_exported public import StrandlineWireFormat
