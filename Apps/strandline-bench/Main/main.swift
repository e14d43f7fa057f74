import Foundation
import StrandlineBench

exit(await BenchProgram.run(Array(CommandLine.arguments.dropFirst())))
