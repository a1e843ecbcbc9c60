import type { ChainConfig } from '../../src/chain/forks/chain-config.ts'
import { type BlobSchedule, FORKS, type Fork, forkDefinition } from '../../src/chain/forks/forks.ts'
import { toAddress } from '../../src/primitives/hex.ts'

/** Forks that have another name in the suites. */
const RENAMED: Readonly<Record<string, Fork>> = {
  eip150: 'tangerineWhistle',
  eip158: 'spuriousDragon',
  constantinoplefix: 'petersburg',
  merge: 'paris',
}

/** EIP-6110: mainnet's contract, as the suites assume. */
const DEPOSIT_CONTRACT = toAddress('0x00000000219ab540356cbb839cbe05303d7705fa')

/** For example `Prague`, `PragueToOsakaAtTime15k`, `BerlinToLondonAt5`. */
const TRANSITION = /^(\w+?)To(\w+?)At(Time)?(\d+)(k?)$/

export interface FixtureConfig {
  readonly chainid?: string
  readonly blobSchedule?: Readonly<Record<string, FixtureBlobSchedule>>
}

interface FixtureBlobSchedule {
  readonly target: string
  readonly max: string
  readonly baseFeeUpdateFraction: string
}

/** @throws Error when the fork is unknown */
export function suiteFork(name: string): Fork {
  const lower = name.toLowerCase()
  const fork = RENAMED[lower] ?? FORKS.find((candidate) => candidate.toLowerCase() === lower)
  if (fork === undefined) throw new Error(`fork ${name} is not one of ${FORKS.join(', ')}`)
  return fork
}

/**
 * The rules of a layer-1 chain that starts with one fork and, in a transition, switches to another.
 *
 * @throws Error when a fork is unknown
 */
export function suiteChain(network: string, config: FixtureConfig = {}): ChainConfig {
  const transition = TRANSITION.exec(network)
  const first = suiteFork(transition === null ? network : transition[1]!)
  const forkBlocks: Partial<Record<Fork, number>> = {}
  const forkTimes: Partial<Record<Fork, bigint>> = {}
  const add = (fork: Fork, at: number, isTime: boolean) => {
    if (isTime) forkTimes[fork] = BigInt(at)
    else forkBlocks[fork] = at
  }
  add(first, 0, forkDefinition(first).activation === 'time')
  if (transition !== null) {
    const [, , second, byTime, at, thousands] = transition
    add(suiteFork(second!), Number(at) * (thousands === 'k' ? 1000 : 1), byTime !== undefined)
  }
  return {
    chainId: BigInt(config.chainid ?? '0x1'),
    forkBlocks,
    forkTimes,
    blobSchedule: blobSchedule(config),
    depositContractAddress: DEPOSIT_CONTRACT,
  }
}

function blobSchedule({ blobSchedule: schedules = {} }: FixtureConfig): Partial<Record<Fork, BlobSchedule>> {
  return Object.fromEntries(
    Object.entries(schedules).map(([name, { target, max, baseFeeUpdateFraction }]) => [
      suiteFork(name),
      { target: Number(target), max: Number(max), baseFeeUpdateFraction: BigInt(baseFeeUpdateFraction) },
    ]),
  )
}
