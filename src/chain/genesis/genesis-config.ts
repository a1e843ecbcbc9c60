import type { Eip1559Parameters } from '../block/extra-data.ts'
import { BASE_FEE_VAULT_ADDRESS } from '../constants.ts'
import type { BlobSchedule, ChainConfig, Layer2Config } from '../forks/chain-config.ts'
import { FORKS, type Fork } from '../forks/forks.ts'
import {
  GenesisError,
  isAbsent,
  type JsonMember,
  type JsonObject,
  memberOf,
  readInteger,
  readJsonAddress,
  readObject,
  readSafeNumber,
} from '../json-fields.ts'

/** go-ethereum's names of the fork blocks. */
const BLOCK_MEMBERS: Readonly<Partial<Record<Fork, readonly string[]>>> = {
  homestead: ['homesteadBlock'],
  tangerineWhistle: ['eip150Block'],
  spuriousDragon: ['eip158Block', 'eip155Block'],
  byzantium: ['byzantiumBlock'],
  constantinople: ['constantinopleBlock'],
  petersburg: ['petersburgBlock', 'constantinopleBlock'],
  istanbul: ['istanbulBlock'],
  muirGlacier: ['muirGlacierBlock'],
  berlin: ['berlinBlock'],
  london: ['londonBlock'],
  arrowGlacier: ['arrowGlacierBlock'],
  grayGlacier: ['grayGlacierBlock'],
  paris: ['mergeNetsplitBlock'],
}

/** Of a layer-2 chain the OP-stack's name stands for the fork that it brought along. */
const TIME_MEMBERS: Readonly<Partial<Record<Fork, readonly string[]>>> = {
  shanghai: ['shanghaiTime', 'canyonTime'],
  cancun: ['cancunTime', 'ecotoneTime'],
  prague: ['pragueTime', 'isthmusTime'],
  osaka: ['osakaTime'],
  bpo1: ['bpo1Time'],
  bpo2: ['bpo2Time'],
}

const UNKNOWN_FORKS = ['bpo3Time', 'bpo4Time', 'bpo5Time', 'amsterdamTime', 'verkleTime', 'ubtTime']

/**
 * The rules of a chain from the `config` of go-ethereum's genesis.json. `config.optimism` makes it layer 2; beside the
 * OP-stack's members it may have `minBaseFee`, `daFootprintGasScalar`, `baseFeeRecipient` and `transactionGasCap`.
 *
 * @param genesisParameters what the extraData of block 0 says; its minimum base fee is the default
 * @throws GenesisError
 */
export function parseChainConfig(config: JsonObject, genesisParameters: Eip1559Parameters | undefined): ChainConfig {
  refuseUnknownForks(config)
  const forkBlocks = readForkBlocks(config)
  const forkTimes = readForks(config, TIME_MEMBERS, (member) => readInteger(member))
  checkOrder('block', forkBlocks, (fork) => memberOf(config, 'config', ...BLOCK_MEMBERS[fork]!).path)
  checkOrder('time', forkTimes, (fork) => memberOf(config, 'config', ...TIME_MEMBERS[fork]!).path)
  const difficulty = memberOf(config, 'config', 'terminalTotalDifficulty')
  const deposits = memberOf(config, 'config', 'depositContractAddress')
  const optimism = memberOf(config, 'config', 'optimism')
  return {
    chainId: readInteger(memberOf(config, 'config', 'chainId')),
    forkBlocks,
    forkTimes,
    blobSchedule: readBlobSchedule(config),
    ...(!isAbsent(difficulty) && { terminalTotalDifficulty: readInteger(difficulty, 256) }),
    ...(!isAbsent(deposits) && { depositContractAddress: readJsonAddress(deposits) }),
    ...(!isAbsent(optimism) && readLayer2(readObject(optimism), genesisParameters)),
  }
}

function readForkBlocks(config: JsonObject): Partial<Record<Fork, number>> {
  const blocks = readForks(config, BLOCK_MEMBERS, readSafeNumber)
  const difficulty = memberOf(config, 'config', 'terminalTotalDifficulty')
  // A chain that never had proof of work need not name the block where it ended.
  const hasNoWork = !isAbsent(difficulty) && readInteger(difficulty, 256) === 0n
  if (blocks.paris === undefined && hasNoWork) blocks.paris = 0
  return blocks
}

function readForks<T>(
  config: JsonObject,
  names: Readonly<Partial<Record<Fork, readonly string[]>>>,
  read: (member: JsonMember) => T,
): Partial<Record<Fork, T>> {
  const forks: Partial<Record<Fork, T>> = {}
  for (const fork of FORKS) {
    const candidates = names[fork]
    if (!candidates) continue
    const member = memberOf(config, 'config', ...candidates)
    if (!isAbsent(member)) forks[fork] = read(member)
  }
  return forks
}

function refuseUnknownForks(config: JsonObject): void {
  const unknown = UNKNOWN_FORKS.find((name) => !isAbsent(memberOf(config, 'config', name)))
  if (unknown) throw new GenesisError(`genesis: config.${unknown} names a fork that is not supported; remove it`)
}

/** @param pathOf the member that says when a fork is */
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

function readBlobSchedule(config: JsonObject): Partial<Record<Fork, BlobSchedule>> {
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
  optimism: JsonObject,
  genesisParameters: Eip1559Parameters | undefined,
): Pick<ChainConfig, 'layer2' | 'transactionGasCap'> {
  const path = 'config.optimism'
  const elasticity = memberOf(optimism, path, 'eip1559Elasticity')
  const denominator = memberOf(optimism, path, 'eip1559DenominatorCanyon', 'eip1559Denominator')
  const minimum = memberOf(optimism, path, 'minBaseFee')
  const scalar = memberOf(optimism, path, 'daFootprintGasScalar')
  const recipient = memberOf(optimism, path, 'baseFeeRecipient')
  const cap = memberOf(optimism, path, 'transactionGasCap')
  const layer2: Layer2Config = {
    eip1559Elasticity: Number(atLeastOne(elasticity, readInteger(elasticity, 32))),
    eip1559Denominator: Number(atLeastOne(denominator, readInteger(denominator, 32))),
    minBaseFee: isAbsent(minimum) ? (genesisParameters?.minBaseFee ?? 0n) : readInteger(minimum),
    daFootprintGasScalar: isAbsent(scalar) ? 0 : Number(readInteger(scalar, 16)),
    baseFeeRecipient: isAbsent(recipient) ? BASE_FEE_VAULT_ADDRESS : readJsonAddress(recipient),
  }
  return { layer2, ...(!isAbsent(cap) && { transactionGasCap: readInteger(cap) }) }
}

function atLeastOne(member: JsonMember, value: bigint): bigint {
  if (value === 0n) throw new GenesisError(`genesis: ${member.path} must be at least 1`)
  return value
}
