import type { Block } from '../../../chain/block/block.ts'
import type { Header } from '../../../chain/block/header.ts'
import { headerFeeParameters } from '../../../chain/block/header-fee-parameters.ts'
import type { ChainConfig } from '../../../chain/forks/chain-config.ts'
import { denimTimeOf } from '../../../chain/system-transactions/denim-schedule.ts'
import { openingTransactions } from '../../../chain/system-transactions/opening-transactions.ts'
import { DEFAULT_L1_SETTINGS, type L1Settings } from '../../../chain/system-transactions/simulated-l1.ts'
import { type BlockAttributes, nextAttributes } from '../../../engine/block/block-attributes.ts'
import { type Hash, ZERO_HASH } from '../../../primitives/hex.ts'
import { keccakHash } from '../../../primitives/keccak.ts'
import type { Clock } from '../../core/clock.ts'
import {
  afterSealed,
  type NextBlockSettings,
  nextTimestamp,
  settingsOnce,
  type TimestampInput,
} from '../../development/next-block.ts'

/** When a block is opened, and when it will be sealed. */
export type OpeningTime = Pick<TimestampInput, 'wallMs' | 'leadMs' | 'replaced'>

/** Settings of coming blocks, or why they stay. */
export type Decision<Refusal> =
  | { readonly settings: NextBlockSettings; readonly refused?: undefined }
  | { readonly refused: Refusal; readonly settings?: undefined }

export interface NextBlockOptions {
  /** At the start. */
  readonly settings: NextBlockSettings
  readonly config: ChainConfig
  /** Prices of layer 1, where blocks have its attributes. Default: `DEFAULT_L1_SETTINGS`. */
  readonly l1?: L1Settings | undefined
}

/** Determines the attributes of the next block, from its parent and from settings that may change at run time. */
export class NextBlock {
  settings: NextBlockSettings
  readonly #config: ChainConfig
  readonly #clock: Pick<Clock, 'wall'>
  readonly #l1: L1Settings

  constructor(
    { settings, config, l1 = DEFAULT_L1_SETTINGS }: NextBlockOptions,
    { clock }: { readonly clock: Pick<Clock, 'wall'> },
  ) {
    this.settings = settings
    this.#config = config
    this.#clock = clock
    this.#l1 = l1
  }

  /** @throws UpgradeTooOldError, BlockTooOldError */
  attributes(parent: Pick<Block, 'header' | 'hash' | 'transactions'>, opening: OpeningTime): BlockAttributes {
    const { number, timestamp } = parent.header
    const { gasLimit, coinbase } = this.settings
    const once = settingsOnce(this.settings, number + 1)
    // The time of a Denim block follows from its number.
    const next =
      denimTimeOf(number + 1, this.#config)?.timestamp ??
      nextTimestamp(this.settings, { parent: { number, timestamp }, ...opening })
    const choices = {
      timestamp: next,
      gasLimit,
      miner: coinbase,
      // prevRandao is derived from the parent hash: there is no L1, so it is unique but predictable.
      mixHash: once.prevRandao ?? randomnessAfter(parent.hash, number),
      extraData: headerFeeParameters(this.#config, next),
      parentBeaconBlockRoot: ZERO_HASH,
      withdrawals: [],
      systemTransactions: openingTransactions(parent, next, this.#config, this.#l1),
    }
    const attributes = nextAttributes(parent, choices, this.#config)
    return once.baseFeePerGas === undefined ? attributes : { ...attributes, baseFeePerGas: once.baseFeePerGas }
  }

  /** Call when a block is sealed: the settings for its height have served. */
  sealed(number: number): void {
    this.settings = this.settingsAfter(number)
  }

  /** The settings once the block at a height is sealed. */
  settingsAfter(number: number): NextBlockSettings {
    return afterSealed(this.settings, number, this.#clock.wall())
  }
}

/** The attributes that distinguish the next block from an open one on the same parent. */
type DecidedAttributes = Pick<BlockAttributes, 'parentHash' | 'timestamp' | 'gasLimit' | 'miner' | 'mixHash'> &
  Pick<Header, 'baseFeePerGas'>

/** Whether an open block without transactions can serve as the next block with these attributes. */
export function isSameBlock(open: DecidedAttributes, wanted: DecidedAttributes): boolean {
  return (
    open.parentHash === wanted.parentHash &&
    open.timestamp === wanted.timestamp &&
    open.gasLimit === wanted.gasLimit &&
    open.baseFeePerGas === wanted.baseFeePerGas &&
    open.miner === wanted.miner &&
    open.mixHash === wanted.mixHash
  )
}

/** Parent hash and number of a block, as two words. */
const SEED = Buffer.alloc(64)

/** prevRandao of the block after one with this hash and number. */
function randomnessAfter(hash: Hash, number: number): Hash {
  SEED.write(hash.slice(2), 'hex')
  SEED.writeUIntBE(number + 1, SEED.length - 6, 6)
  return keccakHash(SEED)
}
