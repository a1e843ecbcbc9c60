import type { ProfileName } from '../forks/chain-profile.ts'
import { genesisPredeploys } from '../genesis/genesis-predeploys.ts'
import { createNetwork, NETWORK_UPGRADES } from '../genesis/networks.ts'
import { type BlockSchedule, PROFILES, type Profile } from './profiles.ts'

const DENIM = 'denim' as const

/** A profile with what follows from it for the chain of a network. Values are those of JSON. */
export interface ProfileDescription extends Profile {
  /** Forks of Ethereum and upgrades of the OP stack that are active from block 0. */
  readonly active: readonly string[]
  readonly gasLimit: number
  readonly elasticity: number
  readonly denominator: number
  /** Wei per gas. */
  readonly minBaseFee: string
  /** Contracts of block 0, besides the demonstration stocks. */
  readonly predeploys: readonly { readonly name: string; readonly address: string }[]
}

/** The description of a profile, with the defaults of all flags. */
export function describeProfile(name: ProfileName): ProfileDescription {
  const profile = PROFILES[name]
  const upgrade = [...NETWORK_UPGRADES, DENIM].find((candidate) => candidate === profile.hardfork)
  const { config, header } = createNetwork({ upgrade }).genesis
  const { eip1559Elasticity, eip1559Denominator, minBaseFee, upgradeTimes = {} } = config.layer2!
  const predeploys = genesisPredeploys(config.chainId, { hasStocks: false, ...(upgrade && { upgrade }) })
  return {
    ...profile,
    active: [...Object.keys(config.forkTimes), ...Object.keys(upgradeTimes)],
    gasLimit: Number(header.gasLimit),
    elasticity: eip1559Elasticity,
    denominator: eip1559Denominator,
    minBaseFee: minBaseFee.toString(),
    predeploys: predeploys.map(({ name: contract, address }) => ({ name: contract, address })),
  }
}

/** The description for people. */
export function profileText(description: ProfileDescription): string {
  const { name, summary, schedule, hardfork, hardforks, systemTransactions, fees, rpc, predeploys } = description
  const { active, gasLimit, elasticity, denominator, minBaseFee } = description
  const rows: readonly (readonly [string, string])[] = [
    ['Profile', `${name}: ${summary}`],
    ['Schedule', scheduleText(schedule)],
    ['Hardfork', `${hardfork}; with --hardfork ${hardforks.join(', ')}`],
    ['Active', active.join(', ')],
    [
      'Gas',
      `limit ${gasLimit}, elasticity ${elasticity}, denominator ${denominator}, minimum base fee ${minBaseFee} wei`,
    ],
    ['System transactions', systemTransactions.length === 0 ? 'none' : systemTransactions.join(', ')],
    ...fees.map(({ fee, recipient }) => ['Fee', `${fee} to ${recipient}`] as const),
    ['Responses', rpc.dialect === 'ethereum' ? 'as in ethereum/execution-apis' : 'as in reth on Base'],
    ['Namespaces', rpc.namespaces.length === 0 ? 'those of every profile' : `also ${rpc.namespaces.join(', ')}`],
    ...predeploys.map((predeploy) => ['Contract', `${predeploy.address} ${predeploy.name}`] as const),
  ]
  const width = Math.max(...rows.map(([title]) => title.length)) + 2
  return rows.map(([title, text]) => `${title.padEnd(width)}${text}\n`).join('')
}

function scheduleText({ before, ...schedule }: Profile['schedule']): string {
  const text = blocksText(schedule)
  return before === undefined ? text : `${text}; before an activation after block 0 ${blocksText(before)}`
}

function blocksText({ blockTimeMs, flashblockIntervalMs }: BlockSchedule): string {
  const blocks = `a block every ${blockTimeMs} ms`
  return flashblockIntervalMs === undefined ? blocks : `${blocks}, a flashblock every ${flashblockIntervalMs} ms`
}
