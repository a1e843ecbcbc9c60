import type { Command } from 'commander'
import { integer } from '../../flags/values.ts'
import {
  type BackupOptions,
  type BackupResult,
  backUp,
  type RestoreOptions,
  restoreBackup,
} from '../../node/tools/backup.ts'
import { SOURCES_DIRECTORY } from '../../sources/store/source-store.ts'
import { type ChainOptions, type CommandResult, chainCommand, locationOf, runChainCommand } from './chain-command.ts'

const BACKUP_EXAMPLES = `  $ tickertape backup /backups/main                   the main network in ~/.tickertape, while its node runs
  $ tickertape backup /backups/main                   again: appends the records since the last one
  $ tickertape backup /backups/main --full --keep 3   a new generation; the newest three stay
`

const RESTORE_EXAMPLES = `  $ tickertape restore /backups/main --datadir ./restored
  $ tickertape restore /backups/main/backup-3 --datadir ./restored   an older generation
`

/** Folders of a data directory that are copied with its chain. */
const FOLDERS = [SOURCES_DIRECTORY]

/** `tickertape backup` */
export function backupCommand(): Command {
  return chainCommand('backup', 'Copy a chain into a backup directory, also while its node runs', BACKUP_EXAMPLES)
    .argument('<directory>', 'backup directory of one network; made if it does not exist')
    .option('--full', 'make a new generation instead of appending records to the newest one', false)
    .option('--keep <generations>', 'generations of this history that stay after a new one', integer(1), 2)
    .option('--new-history', 'accept a chain that does not continue the newest generation, and keep that one', false)
    .action((directory: string, options: ChainOptions & BackupOptions) =>
      runChainCommand(options, async (step) =>
        resultOf(
          'Backed up',
          await backUp(await locationOf(options), directory, { ...options, folders: FOLDERS }, step),
        ),
      ),
    )
}

/** `tickertape restore` */
export function restoreCommand(): Command {
  return chainCommand(
    'restore',
    'Copy a generation of a backup into a new data directory, and verify it',
    RESTORE_EXAMPLES,
  )
    .argument('<directory>', 'backup directory of one network (its newest generation), or one generation in it')
    .option('--no-verify', 'do not execute the blocks of the copy again before it takes its place')
    .action((directory: string, options: ChainOptions & RestoreOptions) =>
      runChainCommand(options, async (step) =>
        resultOf(
          'Restored',
          await restoreBackup(await locationOf(options), directory, { ...options, folders: FOLDERS }, step),
        ),
      ),
    )
}

function resultOf(done: string, { kind, path, records, lastRecord }: BackupResult): CommandResult {
  const what = kind === 'full' ? `the database and ${records} records` : `${records} new records`
  return {
    exitCode: 0,
    line: `${done} ${what}, up to record ${lastRecord}: ${path}`,
    value: { kind, path, records, lastRecord },
  }
}
