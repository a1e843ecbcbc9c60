import * as Ordinal from './ordinals.ts'

/** Blob parameters of a fork (EIP-4844, EIP-7840). */
export interface BlobSchedule {
  readonly target: number
  readonly max: number
  readonly baseFeeUpdateFraction: bigint
}

interface ForkDefinition {
  readonly name: string
  /** Position in the order of activation, known to the EVM too. */
  readonly ordinal: number
  /** What schedules the fork: a block number or, from Shanghai on, a timestamp. */
  readonly activation: 'genesis' | 'block' | 'time'
  /**
   * Members of `config` in a genesis.json that schedule it, as go-ethereum names them (params/config.go); the first
   * present one counts. An OP-stack fork stands for the Ethereum fork that it includes.
   */
  readonly genesisKeys: readonly string[]
  /** Blob parameters, unless a configuration has its own (EIP-7840). Absent: those of the fork before. */
  readonly blobSchedule?: BlobSchedule
}

/**
 * Every hard fork, in the order of activation. The fork schedule, the genesis parser and the fork numbers of the EVM
 * derive from this table; what a fork changes is in `rules.ts` and `engine/evm/assembly`. See
 * CONTRIBUTING.md.
 */
const FORK_TABLE = [
  { name: 'frontier', ordinal: Ordinal.FRONTIER, activation: 'genesis', genesisKeys: [] },
  { name: 'homestead', ordinal: Ordinal.HOMESTEAD, activation: 'block', genesisKeys: ['homesteadBlock'] },
  { name: 'tangerineWhistle', ordinal: Ordinal.TANGERINE_WHISTLE, activation: 'block', genesisKeys: ['eip150Block'] },
  {
    name: 'spuriousDragon',
    ordinal: Ordinal.SPURIOUS_DRAGON,
    activation: 'block',
    genesisKeys: ['eip158Block', 'eip155Block'],
  },
  { name: 'byzantium', ordinal: Ordinal.BYZANTIUM, activation: 'block', genesisKeys: ['byzantiumBlock'] },
  {
    name: 'constantinople',
    ordinal: Ordinal.CONSTANTINOPLE,
    activation: 'block',
    genesisKeys: ['constantinopleBlock'],
  },
  {
    name: 'petersburg',
    ordinal: Ordinal.PETERSBURG,
    activation: 'block',
    genesisKeys: ['petersburgBlock', 'constantinopleBlock'],
  },
  { name: 'istanbul', ordinal: Ordinal.ISTANBUL, activation: 'block', genesisKeys: ['istanbulBlock'] },
  { name: 'muirGlacier', ordinal: Ordinal.MUIR_GLACIER, activation: 'block', genesisKeys: ['muirGlacierBlock'] },
  { name: 'berlin', ordinal: Ordinal.BERLIN, activation: 'block', genesisKeys: ['berlinBlock'] },
  { name: 'london', ordinal: Ordinal.LONDON, activation: 'block', genesisKeys: ['londonBlock'] },
  { name: 'arrowGlacier', ordinal: Ordinal.ARROW_GLACIER, activation: 'block', genesisKeys: ['arrowGlacierBlock'] },
  { name: 'grayGlacier', ordinal: Ordinal.GRAY_GLACIER, activation: 'block', genesisKeys: ['grayGlacierBlock'] },
  { name: 'paris', ordinal: Ordinal.PARIS, activation: 'block', genesisKeys: ['mergeNetsplitBlock'] },
  { name: 'shanghai', ordinal: Ordinal.SHANGHAI, activation: 'time', genesisKeys: ['shanghaiTime', 'canyonTime'] },
  {
    name: 'cancun',
    ordinal: Ordinal.CANCUN,
    activation: 'time',
    genesisKeys: ['cancunTime', 'ecotoneTime'],
    // EIP-4844
    blobSchedule: { target: 3, max: 6, baseFeeUpdateFraction: 3_338_477n },
  },
  {
    name: 'prague',
    ordinal: Ordinal.PRAGUE,
    activation: 'time',
    genesisKeys: ['pragueTime', 'isthmusTime'],
    // EIP-7691
    blobSchedule: { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716n },
  },
  { name: 'osaka', ordinal: Ordinal.OSAKA, activation: 'time', genesisKeys: ['osakaTime'] },
  // EIP-7892: these change blob parameters only, which the configuration names.
  { name: 'bpo1', ordinal: Ordinal.BPO1, activation: 'time', genesisKeys: ['bpo1Time'] },
  { name: 'bpo2', ordinal: Ordinal.BPO2, activation: 'time', genesisKeys: ['bpo2Time'] },
] as const satisfies readonly ForkDefinition[]

/** Members of go-ethereum's genesis.json that schedule forks which are not implemented: refused rather than ignored. */
export const UNSUPPORTED_FORK_KEYS = ['bpo3Time', 'bpo4Time', 'bpo5Time', 'amsterdamTime', 'verkleTime', 'ubtTime']

export type Fork = (typeof FORK_TABLE)[number]['name']

export const FORKS: readonly Fork[] = FORK_TABLE.map(({ name }) => name)

const DEFINITIONS = new Map<Fork, ForkDefinition>(FORK_TABLE.map((definition) => [definition.name, definition]))

for (const [index, { name, ordinal }] of FORK_TABLE.entries()) {
  if (ordinal !== index) throw new Error(`fork ${name} is number ${index} of the table but has the ordinal ${ordinal}`)
}

export function forkDefinition(fork: Fork): ForkDefinition {
  return DEFINITIONS.get(fork)!
}

/**
 * Whether the rules of `fork` apply in a block of fork `blockFork`.
 *
 * @example includesFork('prague', 'london') // true
 */
export function includesFork(blockFork: Fork, fork: Fork): boolean {
  return forkDefinition(blockFork).ordinal >= forkDefinition(fork).ordinal
}
