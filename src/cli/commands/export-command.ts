import type { Command } from 'commander'
import { integer } from '../../flags/values.ts'
import { type ExportOutcome, type ExportRange, exportChain } from '../../node/tools/export-chain.ts'
import { type ChainOptions, type CommandResult, chainCommand, locationOf, runChainCommand } from './chain-command.ts'

const EXAMPLES = `  $ tickertape export chain.rlp                        all sealed blocks, as \`geth export\` writes them
  $ tickertape export chain.rlp.gz                     compressed
  $ tickertape export part.rlp --from 1000 --to 1999
`

/** `tickertape export` */
export function exportCommand(): Command {
  return chainCommand('export', "Write the blocks of a stopped chain into a file, in go-ethereum's format", EXAMPLES)
    .argument('<file>', 'output file; compressed when its name ends in .gz')
    .option('--from <block>', 'the first block', integer(0), 0)
    .option('--to <block>', 'the last block, inclusive (default: the newest)', integer(0))
    .action((file: string, options: ChainOptions & ExportRange) =>
      runChainCommand(options, async (step) =>
        resultOf(file, await exportChain(await locationOf(options), file, options, step)),
      ),
    )
}

function resultOf(file: string, outcome: ExportOutcome): CommandResult {
  if (outcome.kind === 'exported') {
    const { from, to, blocks } = outcome
    return {
      exitCode: 0,
      line: `Exported ${blocks} blocks, ${from} to ${to}, to ${file}`,
      value: { from, to, blocks, file },
    }
  }
  const { code, newest } = outcome
  const message = newest < 0 ? 'the chain has no blocks yet' : `no such blocks: the newest is ${newest}`
  return { exitCode: 1, line: `tickertape: ${message}`, value: { error: { code, message } } }
}
