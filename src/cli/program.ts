// The command line. `main.ts` loads it.
import { Command } from 'commander'
import { VERSION } from '../service/version.ts'
import { backupCommand, restoreCommand } from './commands/backup-commands.ts'
import { clusterCommand } from './commands/cluster-command.ts'
import { completionCommand } from './commands/completion-command.ts'
import { configCommand } from './commands/config-command.ts'
import { depositCommand } from './commands/deposit-command.ts'
import { doctorCommand } from './commands/doctor-command.ts'
import { executeCommand } from './commands/execute-command.ts'
import { exportCommand } from './commands/export-command.ts'
import { importCommand } from './commands/import-command.ts'
import { profileCommand } from './commands/profile-command.ts'
import { repairCommand } from './commands/repair-command.ts'
import { replicaCommand } from './commands/replica-command.ts'
import { START_EXAMPLES, startCommand } from './commands/start-command.ts'
import { stocksCommand } from './commands/stocks-command.ts'
import { verifyCommand } from './commands/verify-command.ts'
import { verifySupplyCommand } from './commands/verify-supply-command.ts'
import { watchCommand } from './commands/watch-command.ts'
import { withConfiguration } from './configuration/configure.ts'
import { debugCommand } from './debug/debug-command.ts'
import { mcpCommand } from './mcp/mcp-command.ts'
import { endingOnWrongUsage } from './process/process-end.ts'
import { coverageCommand } from './reports/coverage-command.ts'
import { gasReportCommand } from './reports/gas-report-command.ts'
import { stockCommand } from './stock/stock-command.ts'
import { verifySourceCommand } from './verify-source/verify-source-command.ts'

const program = endingOnWrongUsage(new Command('tickertape'))
  .description(
    'An Ethereum-compatible layer-2 node with 200 ms pre-confirmations, and the supply API of its tokenized stocks',
  )
  .version(VERSION)
  .showHelpAfterError('(tickertape --help-all lists every flag)')

const start = startCommand()
program.addCommand(start, { isDefault: true })
const others = [
  replicaCommand(),
  stocksCommand(),
  stockCommand(),
  depositCommand(),
  watchCommand(),
  verifyCommand(),
  executeCommand(),
  verifySourceCommand(),
  debugCommand(),
  gasReportCommand(),
  coverageCommand(),
  verifySupplyCommand(),
  profileCommand(),
  exportCommand(),
  importCommand(),
  backupCommand(),
  restoreCommand(),
  repairCommand(),
  clusterCommand(),
  mcpCommand(),
]
for (const command of others) program.addCommand(command)
program.addCommand(configCommand(program))
program.addCommand(doctorCommand(program))
program.addCommand(completionCommand(program))
// `start` is the default command, so the general help includes its flags.
program.addHelpText('after', () => `\n${start.helpInformation()}${START_EXAMPLES}`)

await withConfiguration(program).parseAsync()
