import type { Command } from 'commander'
import { blocksOrAll } from '../../flags/values.ts'
import { readBlockFile } from '../../node/tools/block-file.ts'
import { type ImportOutcome, importChain } from '../../node/tools/import-chain.ts'
import { type ChainOptions, type CommandResult, chainCommand, locationOf, runChainCommand } from './chain-command.ts'

const EXAMPLES = `  $ tickertape import chain.rlp                        as \`geth export\` or \`tickertape export\` wrote it
  $ tickertape import chain.rlp.gz --datadir ./copy    into a directory that need not be there
`

/** `tickertape import` */
export function importCommand(): Command {
  return chainCommand(
    'import',
    "Execute the blocks of a file in go-ethereum's format and add them to a stopped chain; known ones are passed over",
    EXAMPLES,
  )
    .argument('<file>', 'input file; compressed when its name ends in .gz')
    .option('--history <blocks>', 'blocks whose state is kept, or all', blocksOrAll, 'all')
    .action((file: string, options: ChainOptions & { readonly history: number | 'all' }) =>
      runChainCommand(options, async (step) => {
        const { history } = options
        return resultOf(await importChain({ ...(await locationOf(options)), history }, readBlockFile(file), step))
      }),
    )
}

function resultOf(outcome: ImportOutcome): CommandResult {
  const { imported, newest } = outcome
  if (outcome.kind === 'imported') {
    const { cached: known } = outcome
    const line = `Imported ${imported} blocks, ${known} were already there; the newest is ${newest}`
    return { exitCode: 0, line, value: { imported, known, newest } }
  }
  const { code, message } = outcome
  return {
    exitCode: 1,
    line: `tickertape: ${message} (${imported} blocks imported before it)`,
    value: { imported, newest, error: { code, message } },
  }
}
