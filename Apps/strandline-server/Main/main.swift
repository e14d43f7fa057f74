import Foundation
import StrandlineServer

exit(await StrandlineServerProgram.run())
