import type { Command } from 'commander'
import { systemClock } from '../../node/core/clock.ts'
import { type BlockAlterations, type Verification, verifyChain } from '../../node/tools/verify-chain.ts'
import { differenceText } from '../../node/tools/verify-difference.ts'
import { type ChainOptions, type CommandResult, chainCommand, locationOf, runChainCommand } from './chain-command.ts'

const MAX_ALTERATION_LINES = 20

const EXAMPLES = `  $ tickertape verify                                  the main network in ~/.tickertape
  $ tickertape verify --datadir ./chain --network test
  $ tickertape verify --json                           {"sound":true,"blocks":…} or {"sound":false,"difference":…}
  $ TMPDIR=/big/disk tickertape verify                 it needs as much room there as the chain takes
`

/** `tickertape verify` */
export function verifyCommand(): Command {
  return chainCommand(
    'verify',
    'Execute a stopped chain again from its genesis and compare everything stored with what comes out',
    EXAMPLES,
  ).action((options: ChainOptions) =>
    runChainCommand(options, async (step) => {
      const start = systemClock.monotonic()
      const verification = await verifyChain(await locationOf(options), step)
      return resultOf(verification, (systemClock.monotonic() - start) / 1000)
    }),
  )
}

function resultOf(verification: Verification, seconds: number): CommandResult {
  if (verification.kind === 'different') {
    const { difference } = verification
    return { exitCode: 1, line: `tickertape: ${differenceText(difference)}`, value: { sound: false, difference } }
  }
  if (verification.kind === 'damaged') {
    const { damage } = verification
    const lines = damage.map((difference) => `tickertape: ${differenceText(difference)}`)
    return { exitCode: 1, line: lines.join('\n'), value: { sound: false, difference: damage[0], damage } }
  }
  const { blocks, transactions, accounts, records, alterations } = verification
  const counts = `${blocks} blocks, ${transactions} transactions, ${accounts} accounts, ${records} records`
  return {
    exitCode: 0,
    line: [`Sound: ${counts}; ${seconds.toFixed(1)} s`, ...alterationLines(alterations)].join('\n'),
    value: { sound: true, blocks, transactions, accounts, records, alterations, seconds },
  }
}

/** State changes from outside, which no transaction of the chain explains. */
function alterationLines(alterations: readonly BlockAlterations[]): readonly string[] {
  const lines = alterations.slice(0, MAX_ALTERATION_LINES).map(alterationLine)
  const left = alterations.length - lines.length
  return left === 0 ? lines : [...lines, `and before ${left} other blocks; --json lists them`]
}

/** An alteration without content marks a block whose base fee does not follow from its parent. */
function alterationLine({ block, accounts, slots }: BlockAlterations): string {
  if (accounts === 0 && slots === 0) return `Base fee chosen from outside: block ${block}`
  return `Changed from outside before block ${block}: ${counted(accounts, 'account')} and ${counted(slots, 'storage slot')}`
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
