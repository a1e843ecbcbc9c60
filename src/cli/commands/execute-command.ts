import { gunzipSync } from 'node:zlib'
import { Command } from 'commander'
import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import type { NetworkName } from '../../chain/genesis/networks.ts'
import { type GenesisOptions, genesisOf } from '../../flags/genesis/genesis-flags.ts'
import { executeWitness, type WitnessExecution } from '../../node/tools/witness/execute-witness.ts'
import type { Witness } from '../../node/tools/witness/witness.ts'
import { WitnessError } from '../../node/tools/witness/witness-error.ts'
import { readWitness } from '../../node/tools/witness/witness-file.ts'
import { readBoundedFile } from '../../primitives/bounded-file.ts'
import { systemErrorCode } from '../../storage/storage-error.ts'
import { genesisFlags, networkFlag } from '../process/command-options.ts'
import { endingOnWrongUsage } from '../process/process-end.ts'
import { type CommandResult, runChainCommand } from './chain-command.ts'

const EXAMPLES = `
Exit codes: 0 everything equal, 1 a difference, 2 wrong usage or no witness

Examples:
  $ tickertape execute --witness op-sepolia-26207960.json.gz
  $ tickertape execute --witness blocks/*.json.gz --json
  $ tickertape execute --witness block-7.json --genesis genesis.json
`

const GZIP_MAGIC = 0x8b1f

interface ExecuteOptions extends GenesisOptions {
  readonly witness?: readonly string[]
  readonly network: NetworkName
  readonly json: boolean
}

/** `tickertape execute` */
export function executeCommand(): Command {
  const command = endingOnWrongUsage(new Command('execute'))
    .description('Execute blocks from their witnesses without a chain, and compare receipts, roots and hash')
    .option('--witness <files...>', 'blocks with witnesses in JSON, also compressed with gzip (docs/witnesses.md)')
    .addOption(networkFlag())
    .option('--json', 'one line of JSON on standard output', false)
    .showHelpAfterError('(tickertape execute --help lists every flag)')
    .addHelpText('after', EXAMPLES)
    .action((options: ExecuteOptions, command: Command) => {
      const { witness } = options
      // Not required by commander, which would not know the environment variable.
      if (witness === undefined) command.error('error: --witness is missing: the files to execute')
      return runChainCommand(options, async (step) => {
        const { config } = await genesisOf(options.network, options)
        const executions: (WitnessExecution & { readonly file: string })[] = []
        for (const [index, file] of witness.entries()) {
          executions.push({ file, ...(await executeWitness(witnessIn(file, config))) })
          await step({ task: 'blocks', at: index + 1, of: witness.length })
        }
        return resultOf(executions)
      })
    })
  for (const flag of genesisFlags()) command.addOption(flag)
  return command
}

/** Largest witness, before and after it is unpacked. */
const MAX_BYTES = 256 * 2 ** 20

/**
 * @param config the rules of a block whose file does not name them
 * @throws WitnessError; a system error when the file cannot be read
 */
function witnessIn(file: string, config: ChainConfig): Witness {
  const content = readBoundedFile(file, MAX_BYTES)
  const isCompressed = content.length > 1 && content.readUInt16LE() === GZIP_MAGIC
  try {
    return readWitness(
      JSON.parse((isCompressed ? gunzipSync(content, { maxOutputLength: MAX_BYTES }) : content).toString()),
      config,
    )
  } catch (error) {
    if (systemErrorCode(error) === 'ERR_BUFFER_TOO_LARGE') {
      throw new WitnessError('INVALID_WITNESS', `${file} has more than ${MAX_BYTES} bytes when it is unpacked`)
    }
    if (error instanceof WitnessError) throw new WitnessError(error.code, `${file}: ${error.message}`)
    throw new WitnessError('INVALID_WITNESS', `${file} is neither JSON nor JSON compressed with gzip: ${error}`)
  }
}

function resultOf(executions: readonly (WitnessExecution & { readonly file: string })[]): CommandResult {
  const isEqual = executions.every(({ kind }) => kind === 'equal')
  return {
    exitCode: isEqual ? 0 : 1,
    line: executions.flatMap(linesOf).join('\n'),
    value: { equal: isEqual, blocks: executions },
  }
}

function linesOf(execution: WitnessExecution): readonly string[] {
  if (execution.kind === 'equal') {
    const { number, hash, transactions, gasUsed } = execution
    return [`Equal: block ${number} ${hash}, ${transactions} transactions, ${gasUsed} gas`]
  }
  const { number, differences } = execution
  return differences.map(({ where, expected, got }) => `Block ${number}: ${where} is ${got}, recorded was ${expected}`)
}
