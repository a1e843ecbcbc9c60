import type { Block } from '../../../chain/block/block.ts'
import { encodeExtraData } from '../../../chain/block/extra-data.ts'
import type { Header } from '../../../chain/block/header.ts'
import type { ChainConfig } from '../../../chain/forks/chain-config.ts'
import { type BlockAttributes, nextAttributes } from '../../../engine/block/block-attributes.ts'
import { type Bytes, EMPTY_BYTES, type Hash, ZERO_HASH } from '../../../primitives/hex.ts'
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

/** Determines the attributes of the next block, from its parent and from settings that may change at run time. */
export class NextBlock {
  settings: NextBlockSettings
  readonly #config: ChainConfig
  readonly #clock: Pick<Clock, 'wall'>
  readonly #extraData: Bytes

  constructor(
    { settings, config }: { readonly settings: NextBlockSettings; readonly config: ChainConfig },
    { clock }: { readonly clock: Pick<Clock, 'wall'> },
  ) {
    this.settings = settings
    this.#config = config
    this.#clock = clock
    this.#extraData = extraDataOf(config)
  }

  attributes(parent: Pick<Block, 'header' | 'hash'>, opening: OpeningTime): BlockAttributes {
    const { number, timestamp } = parent.header
    const { gasLimit, coinbase } = this.settings
    const once = settingsOnce(this.settings, number + 1)
    const choices = {
      timestamp: nextTimestamp(this.settings, { parent: { number, timestamp }, ...opening }),
      gasLimit,
      miner: coinbase,
      // prevRandao is derived from the parent hash: there is no L1, so it is unique but predictable.
      mixHash: once.prevRandao ?? randomnessAfter(parent.hash, number),
      extraData: this.#extraData,
      parentBeaconBlockRoot: ZERO_HASH,
      withdrawals: [],
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

function extraDataOf({ layer2 }: ChainConfig): Bytes {
  if (layer2 === undefined) return EMPTY_BYTES
  const { eip1559Denominator, eip1559Elasticity, minBaseFee } = layer2
  return encodeExtraData({ denominator: eip1559Denominator, elasticity: eip1559Elasticity, minBaseFee })
}
