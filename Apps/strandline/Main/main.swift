import Foundation
import StrandlineDirectoryTransport
import StrandlineHTTPTransport
import StrandlineMemoryTransport
import StrandlineREPL
import StrandlineTransport

// The transports that this program offers; another one is added here and nowhere else.
exit(await StrandlineProgram.run(Registry([.memory, .directory, .http])))
