import type { Header } from '../../chain/block/header.ts'
import { MAX_CODE_SIZE } from '../../chain/constants.ts'
import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import { chainProfile, DEFAULT_PROFILE } from '../../chain/forks/chain-profile.ts'
import { activationsUntil, flagOfActivations, forkActivations } from '../../chain/genesis/fork-activations.ts'
import { codeSizeLimit } from '../../chain/transaction/transaction-limits.ts'
import { foreignText } from '../../primitives/text/foreign-text.ts'
import { SourceError, type StreamSettings } from '../log/record-source.ts'

type Newest = Pick<Header, 'number' | 'timestamp'>

/**
 * Checks that the followed chain has the rules of this node, which its block 0 does not show. Activations after the
 * newest block may differ: nodes of a running chain get them one after the other.
 *
 * @param newest block of this node
 * @throws SourceError that names the flag
 */
export function assertSameRules(received: StreamSettings, config: ChainConfig, newest: Newest): void {
  const fault = limitsFault(received, config) ?? forksFault(received, config, newest)
  if (fault !== undefined) throw new SourceError('FOREIGN_CHAIN', fault)
}

/**
 * Checks that a chain which another node may have built continues by the same rules when this one leads: its first
 * blocks had the same forks. Later activations may have been scheduled since.
 *
 * @throws SourceError that names the flag
 */
export function assertSameBeginning(received: StreamSettings, config: ChainConfig, genesis: Header): void {
  const fault = forksFault(received, config, genesis)
  if (fault !== undefined) throw new SourceError('FOREIGN_CHAIN', fault)
}

/** Logs settings of which another node of the chain has other values. */
export function warnOfOtherSettings(
  own: StreamSettings,
  others: StreamSettings,
  log: { warn(details: object, message: string): void },
): void {
  const names = differingSettings(own, others).join(', ')
  if (names === '') return
  const message = `another node of this chain has, or this one had, other settings (${names})`
  log.warn({ others }, `${message}: start all with the same flags`)
}

/** Names of the settings of which another node has other values. */
export function differingSettings(own: StreamSettings, others: StreamSettings): readonly string[] {
  const theirs = new Map(Object.entries(others))
  return Object.entries(own).flatMap(([name, value]) => (theirs.get(name) === value ? [] : [name]))
}

function limitsFault(received: StreamSettings, config: ChainConfig): string | undefined {
  const limits = { leader: received.codeSizeLimit ?? MAX_CODE_SIZE, own: codeSizeLimit(config) }
  if (limits.leader !== limits.own) {
    return (
      `the followed node allows ${limits.leader} bytes of code, this node ${limits.own}: start this one with ` +
      `--code-size-limit ${limits.leader}`
    )
  }
  const profiles = { leader: received.profile ?? DEFAULT_PROFILE, own: chainProfile(config) }
  if (profiles.leader !== profiles.own) {
    const leader = foreignText(profiles.leader)
    return (
      `the followed node has a chain of the profile ${leader}, this node of ${profiles.own}: start this one ` +
      `with --profile ${leader} and the same genesis`
    )
  }
  const denim = config.layer2?.denim
  if (denim !== undefined && received.denimTime !== Number(denim.denimTime)) {
    return (
      `the followed node activates Denim at ${received.denimTime}, this node at ${denim.denimTime}: start this one with ` +
      `the same --denim-after (${(received.denimTime ?? 0) - Number(denim.genesisTime)}) or genesis`
    )
  }
  return undefined
}

function forksFault({ forks }: StreamSettings, config: ChainConfig, newest: Newest): string | undefined {
  const own = forkActivations(config)
  if (forks === undefined || activationsUntil(forks, newest) === activationsUntil(own, newest)) return undefined
  const [leader, flag] = [forks, flagOfActivations(forks)].map((text) => foreignText(text))
  return `the followed node has the forks ${leader}, this node ${own}: start this one with ${flag}`
}
