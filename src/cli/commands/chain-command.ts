import { join } from 'node:path'
import { Command } from 'commander'
import type { NetworkName } from '../../chain/genesis/networks.ts'
import { type GenesisOptions, genesisOf } from '../../flags/genesis/genesis-flags.ts'
import { systemClock } from '../../node/core/clock.ts'
import { RecoveryError } from '../../node/machine/recovery-error.ts'
import type { Progress, Step } from '../../node/tools/long-work.ts'
import type { ChainLocation } from '../../node/tools/stored-chain.ts'
import { WitnessError } from '../../node/tools/witness/witness-error.ts'
import { SupplyProofError } from '../../rest/supply-proof/verify-supply.ts'
import { StorageError, systemErrorCode } from '../../storage/storage-error.ts'
import { datadirFlag, genesisFlags, networkFlag } from '../process/command-options.ts'
import { endingOnWrongUsage, WRONG_USAGE } from '../process/process-end.ts'
import { failureLine } from '../terminal/terminal-text.ts'

/** Flags of the commands that work on the data directory of a stopped node. */
export interface ChainOptions extends GenesisOptions {
  readonly datadir: string
  readonly network: NetworkName
  readonly json: boolean
}

/** Result of a command: `line` for people, `value` for programs (`--json`). */
export interface CommandResult {
  /** 0: success, 1: failure. */
  readonly exitCode: 0 | 1
  readonly line: string
  readonly value: Readonly<Record<string, unknown>>
}

/** Exit code when something cannot be opened, read or written. */
const CANNOT_RUN = WRONG_USAGE
/** Code of an error that no part of the program explains. */
const UNEXPECTED = 'UNEXPECTED'
/** 128 plus the number of SIGINT, as in shells. */
const INTERRUPTED = 130
const PROGRESS_INTERVAL_MS = 2_000
/** Their messages tell the user what to do. */
const EXPLAINED_ERRORS = [StorageError, RecoveryError, WitnessError, SupplyProofError]

/** A command with the chain flags. It exits with 0, 1 or 2. */
export function chainCommand(name: string, description: string, examples: string): Command {
  const command = endingOnWrongUsage(new Command(name))
    .description(description)
    .addOption(datadirFlag())
    .addOption(networkFlag())
    .option('--json', 'one line of JSON on standard output', false)
    .showHelpAfterError(`(tickertape ${name} --help lists every flag)`)
    .addHelpText('after', `\nExit codes: 0 success, 1 failure, 2 wrong usage or no chain\n\nExamples:\n${examples}`)
  for (const flag of genesisFlags()) command.addOption(flag)
  return command
}

export async function locationOf({ datadir, network, ...options }: ChainOptions): Promise<ChainLocation> {
  return { directory: join(datadir, network), genesis: await genesisOf(network, options) }
}

/** A signal interrupted the command. */
class InterruptedError extends Error {}

/** Runs a command and exits. The result goes to standard output, progress and errors to standard error. */
export async function runChainCommand(
  { json }: Pick<ChainOptions, 'json'>,
  work: (step: Step) => Promise<CommandResult>,
): Promise<void> {
  try {
    const { exitCode, line, value } = await work(reportingStep())
    if (json) process.stdout.write(`${JSON.stringify(value)}\n`)
    else (exitCode === 0 ? process.stdout : process.stderr).write(`${line}\n`)
    process.exitCode = exitCode
  } catch (error) {
    if (error instanceof InterruptedError) {
      process.stderr.write(
        'tickertape: interrupted; what was imported or backed up so far is kept, nothing else changed\n',
      )
      process.exitCode = INTERRUPTED
      return
    }
    const message = messageOf(error)
    process.stderr.write(failureLine(message))
    const code = systemErrorCode(error) ?? UNEXPECTED
    if (json) process.stdout.write(`${JSON.stringify({ error: { code, message } })}\n`)
    process.exitCode = CANNOT_RUN
  }
}

/** Prints progress, lets signals through, and stops the work after one. */
function reportingStep(): Step {
  let isInterrupted = false
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      isInterrupted = true
    })
  }
  let shown = systemClock.monotonic()
  return async (progress) => {
    await new Promise((resolve) => setImmediate(resolve))
    if (isInterrupted) throw new InterruptedError('interrupted')
    const now = systemClock.monotonic()
    if (now - shown < PROGRESS_INTERVAL_MS) return
    shown = now
    process.stderr.write(`${progressLine(progress)}\n`)
  }
}

function progressLine({ task, at, of }: Progress): string {
  const total = of === undefined ? '' : ` of ${of}`
  switch (task) {
    case 'export':
      return `exported block ${at}${total}`
    case 'import':
      return `imported block ${at}${total}`
    case 'blocks':
      return `executed block ${at}${total}`
    case 'tables':
      return `comparing table ${at}`
    case 'records':
      return `copied record ${at}${total}`
  }
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof StorageError && error.code === 'OTHER_CHAIN') {
    return `${error.message}. --network and the flags of the genesis (--compat, --genesis, --gas-limit, --accounts, --mnemonic and others) must be equal to those of \`start\``
  }
  const isExplained = EXPLAINED_ERRORS.some((kind) => error instanceof kind) || systemErrorCode(error) !== undefined
  return isExplained ? error.message : (error.stack ?? error.message)
}
