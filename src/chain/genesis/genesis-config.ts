import type { Eip1559Parameters } from '../block/extra-data.ts'
import { BASE_FEE_VAULT_ADDRESS, UNLIMITED_CODE_SIZE } from '../constants.ts'
import type { ChainConfig, Layer2Config } from '../forks/chain-config.ts'
import { PROFILE_NAMES, type ProfileName } from '../forks/chain-profile.ts'
import { type BlobSchedule, FORKS, type Fork, forkDefinition, UNSUPPORTED_FORK_KEYS } from '../forks/forks.ts'
import {
  forkTimesOf,
  includesUpgrade,
  lineageOf,
  UPGRADES,
  type Upgrade,
  type UpgradeTimes,
} from '../forks/upgrades.ts'
import type { Genesis } from './genesis.ts'
import {
  GenesisError,
  isAbsent,
  type JsonMember,
  type JsonMembers,
  memberOf,
  readInteger,
  readJsonAddress,
  readObject,
  readSafeNumber,
  wrong,
} from './genesis-fields.ts'

/** Facts outside of `config` on which the configuration of a chain depends. */
export interface GenesisFacts extends Pick<Genesis['header'], 'number' | 'timestamp'> {
  /** From the extraData of block 0; its minimum base fee is the default. */
  readonly genesisParameters: Eip1559Parameters | undefined
  /** Replaces that of the file. */
  readonly profile?: ProfileName | undefined
}

/**
 * Parses the `config` member of go-ethereum's genesis.json. `config.optimism` makes it a layer-2 chain; besides the
 * OP-stack's members it may have `minBaseFee`, `daFootprintGasScalar`, `baseFeeRecipient` and `transactionGasCap`.
 * `contractSizeLimit` is Besu's. Members such as `regolithTime` and `jovianTime` schedule the upgrades of the OP stack.
 *
 * @throws GenesisError
 */
export function parseChainConfig(config: JsonMembers, block0: GenesisFacts): ChainConfig {
  rejectUnsupportedForks(config)
  const upgradeTimes = readUpgradeTimes(config, block0.profile)
  const forkBlocks = readForkBlocks(config)
  const forkTimes = {
    ...(upgradeTimes && forkTimesOf(upgradeTimes)),
    ...readForks(config, 'time', (member) => readInteger(member)),
  }
  const pathOf = (fork: Fork): string => forkMember(config, fork).path
  checkOrder('block', forkBlocks, pathOf)
  checkOrder('time', forkTimes, pathOf)
  const difficulty = memberOf(config, 'config', 'terminalTotalDifficulty')
  const deposits = memberOf(config, 'config', 'depositContractAddress')
  const optimism = memberOf(config, 'config', 'optimism')
  const codeSize = memberOf(config, 'config', 'contractSizeLimit')
  return {
    chainId: readInteger(memberOf(config, 'config', 'chainId')),
    forkBlocks,
    forkTimes,
    blobSchedule: readBlobSchedule(config),
    ...(!isAbsent(difficulty) && { terminalTotalDifficulty: readInteger(difficulty, 256) }),
    ...(!isAbsent(deposits) && { depositContractAddress: readJsonAddress(deposits) }),
    ...(!isAbsent(codeSize) && { codeSizeLimit: Math.min(readSafeNumber(codeSize), UNLIMITED_CODE_SIZE) }),
    ...(!isAbsent(optimism) && readLayer2(readObject(optimism), upgradeTimes, block0)),
  }
}

function readForkBlocks(config: JsonMembers): Partial<Record<Fork, number>> {
  const blocks = readForks(config, 'block', readSafeNumber)
  const difficulty = memberOf(config, 'config', 'terminalTotalDifficulty')
  // A chain without proof of work need not name the block at which it ended.
  const hasNoWork = !isAbsent(difficulty) && readInteger(difficulty, 256) === 0n
  if (blocks.paris === undefined && hasNoWork) blocks.paris = 0
  return blocks
}

function readForks<T>(
  config: JsonMembers,
  activation: 'block' | 'time',
  read: (member: JsonMember) => T,
): Partial<Record<Fork, T>> {
  const forks: Partial<Record<Fork, T>> = {}
  for (const fork of FORKS) {
    if (forkDefinition(fork).activation !== activation) continue
    const member = forkMember(config, fork)
    if (!isAbsent(member)) forks[fork] = read(member)
  }
  return forks
}

function forkMember(config: JsonMembers, fork: Fork): JsonMember {
  return memberOf(config, 'config', ...forkDefinition(fork).genesisKeys)
}

/** Every genesis file of an OP-stack chain schedules it. Without it a file has the meaning of `flashblocks`. */
const MARKER_UPGRADE: Upgrade = 'regolith'
/** Upgrades of Base that a file cannot schedule by their own names. */
const UNSCHEDULED_UPGRADES: readonly Upgrade[] = ['beryl', 'cobalt']
/** Upgrades up to this one are active from block 0 unless the file schedules them. */
const NEWEST_UPGRADE_BY_PROFILE: Readonly<Partial<Record<ProfileName, Upgrade>>> = { op: 'jovian', denim: 'denim' }

/** The upgrades of an OP-stack chain; undefined for other chains, and for files that schedule Ethereum's forks only. */
function readUpgradeTimes(config: JsonMembers, given: ProfileName | undefined): UpgradeTimes | undefined {
  const profile = given ?? readProfile(memberOf(config, 'config', 'profile'))
  const newest = profile && NEWEST_UPGRADE_BY_PROFILE[profile]
  const optimism = memberOf(config, 'config', 'optimism')
  if (newest !== undefined && isAbsent(optimism)) {
    throw new GenesisError(`genesis: the profile ${profile} needs config.optimism with the parameters of the base fee`)
  }
  const timeOf = (upgrade: Upgrade) => memberOf(config, 'config', `${upgrade}Time`)
  const marker = timeOf(MARKER_UPGRADE)
  if (isAbsent(optimism) || (newest === undefined && isAbsent(marker))) return undefined
  if (profile === 'flashblocks') {
    throw new GenesisError(
      `genesis: the profile flashblocks has no upgrades, and ${marker.path} schedules one: use the profile op`,
    )
  }
  if (profile === 'op' && !isAbsent(timeOf('denim'))) {
    throw new GenesisError('genesis: the profile op ends before config.denimTime: use the profile denim')
  }
  const times: Partial<Record<Upgrade, bigint>> = {}
  let before = 0n
  for (const upgrade of UPGRADES) {
    const member = timeOf(upgrade)
    const isDefault = newest !== undefined && includesUpgrade(newest, upgrade)
    if (isAbsent(member) && !isDefault) continue
    if (!isAbsent(member) && UNSCHEDULED_UPGRADES.includes(upgrade)) {
      throw new GenesisError(`genesis: ${member.path} names an upgrade that is not supported; remove it`)
    }
    const other = UPGRADES.find((name) => times[name] !== undefined && areOfOtherChains(name, upgrade))
    if (other !== undefined) {
      throw new GenesisError(
        `genesis: ${member.path} is an upgrade of other chains than config.${other}Time: remove one`,
      )
    }
    const time = isAbsent(member) ? before : readInteger(member)
    if (time < before)
      throw new GenesisError(`genesis: ${member.path} is before the upgrade that it follows: change it`)
    times[upgrade] = time
    before = time
  }
  return times
}

/** Whether no chain has both upgrades. */
function areOfOtherChains(one: Upgrade, other: Upgrade): boolean {
  const lineages = [lineageOf(one), lineageOf(other)]
  return !lineages.includes(undefined) && lineages[0] !== lineages[1]
}

function readProfile(member: JsonMember): ProfileName | undefined {
  if (isAbsent(member)) return undefined
  const name = PROFILE_NAMES.find((candidate) => candidate === member.value)
  if (name === undefined) throw wrong(member, `one of ${PROFILE_NAMES.join(', ')}`)
  return name
}

function rejectUnsupportedForks(config: JsonMembers): void {
  const unknown = UNSUPPORTED_FORK_KEYS.find((name) => !isAbsent(memberOf(config, 'config', name)))
  if (unknown) throw new GenesisError(`genesis: config.${unknown} names a fork that is not supported; remove it`)
}

/** @param pathOf path of the member that schedules a fork */
function checkOrder(
  unit: 'block' | 'time',
  forks: Readonly<Partial<Record<Fork, number | bigint>>>,
  pathOf: (fork: Fork) => string,
): void {
  let previous: { fork: Fork; at: number | bigint } | undefined
  for (const fork of FORKS) {
    const at = forks[fork]
    if (at === undefined) continue
    if (previous && at < previous.at) {
      throw new GenesisError(
        `genesis: config puts ${fork} at ${unit} ${at}, before ${previous.fork} at ${unit} ${previous.at}: change ${pathOf(fork)} or ${pathOf(previous.fork)}`,
      )
    }
    previous = { fork, at }
  }
}

function readBlobSchedule(config: JsonMembers): Partial<Record<Fork, BlobSchedule>> {
  const member = memberOf(config, 'config', 'blobSchedule')
  const schedules: Partial<Record<Fork, BlobSchedule>> = {}
  if (isAbsent(member)) return schedules
  const object = readObject(member)
  for (const fork of FORKS) {
    const entry = memberOf(object, member.path, fork)
    if (isAbsent(entry)) continue
    const fields = readObject(entry)
    const fraction = memberOf(fields, entry.path, 'baseFeeUpdateFraction')
    schedules[fork] = {
      target: readSafeNumber(memberOf(fields, entry.path, 'target')),
      max: readSafeNumber(memberOf(fields, entry.path, 'max')),
      baseFeeUpdateFraction: atLeastOne(fraction, readInteger(fraction)),
    }
  }
  return schedules
}

function readLayer2(
  optimism: JsonMembers,
  upgradeTimes: UpgradeTimes | undefined,
  { genesisParameters, number, timestamp }: GenesisFacts,
): Pick<ChainConfig, 'layer2' | 'transactionGasCap'> {
  const path = 'config.optimism'
  const elasticity = memberOf(optimism, path, 'eip1559Elasticity')
  const denominator = memberOf(optimism, path, 'eip1559DenominatorCanyon', 'eip1559Denominator')
  const minimum = memberOf(optimism, path, 'minBaseFee')
  const scalar = memberOf(optimism, path, 'daFootprintGasScalar')
  const recipient = memberOf(optimism, path, 'baseFeeRecipient')
  const cap = memberOf(optimism, path, 'transactionGasCap')
  const denimTime = upgradeTimes?.denim
  const layer2: Layer2Config = {
    eip1559Elasticity: Number(atLeastOne(elasticity, readInteger(elasticity, 32))),
    eip1559Denominator: Number(atLeastOne(denominator, readInteger(denominator, 32))),
    minBaseFee: isAbsent(minimum) ? (genesisParameters?.minBaseFee ?? 0n) : readInteger(minimum),
    daFootprintGasScalar: isAbsent(scalar) ? 0 : Number(readInteger(scalar, 16)),
    baseFeeRecipient: isAbsent(recipient) ? BASE_FEE_VAULT_ADDRESS : readJsonAddress(recipient),
    ...(upgradeTimes && { upgradeTimes }),
    ...(denimTime !== undefined && {
      denim: { genesisNumber: BigInt(number), genesisTime: timestamp, denimTime },
    }),
  }
  return { layer2, ...(!isAbsent(cap) && { transactionGasCap: readInteger(cap) }) }
}

function atLeastOne(member: JsonMember, value: bigint): bigint {
  if (value === 0n) throw new GenesisError(`genesis: ${member.path} must be at least 1`)
  return value
}
