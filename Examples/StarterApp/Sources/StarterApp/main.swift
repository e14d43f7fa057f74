import Foundation

exit(await StarterProgram.run(Array(CommandLine.arguments.dropFirst())))
