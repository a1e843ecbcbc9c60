import type { Block } from '../../../chain/block/block.ts'
import type { Header } from '../../../chain/block/header.ts'
import { headerFeeParameters } from '../../../chain/block/header-fee-parameters.ts'
import type { ChainConfig } from '../../../chain/forks/chain-config.ts'
import { type BlockTime, denimScalingOf, isDenimBlock, scheduledTimeOf } from '../../../chain/forks/denim-schedule.ts'
import { parentMilliseconds } from '../../../chain/system-transactions/base-time.ts'
import { l1AttributesOf } from '../../../chain/system-transactions/l1-attributes.ts'
import { openingTransactions } from '../../../chain/system-transactions/opening-transactions.ts'
import { DEFAULT_L1_SETTINGS, type L1Settings } from '../../../chain/system-transactions/simulated-l1.ts'
import type { DepositTransaction } from '../../../chain/transaction/transaction.ts'
import { type BlockAttributes, nextAttributes } from '../../../engine/block/block-attributes.ts'
import { type Hash, ZERO_HASH } from '../../../primitives/hex.ts'
import { keccakHash } from '../../../primitives/keccak.ts'
import type { Clock } from '../../core/clock.ts'
import {
  afterSealed,
  type NextBlockSettings,
  nextFreeTime,
  nextTimestamp,
  settingsOnce,
  type TimestampInput,
} from '../../development/next-block.ts'
import type { DepositLog, L1Chain } from '../../layer1/l1-chain.ts'
import { derivedDeposits, nextOrigin } from '../../layer1/next-origin.ts'
import type { WaitingDeposits } from '../../layer1/waiting-deposits.ts'

/** When a block is opened, when it will be sealed, and what it begins with. */
export type OpeningPlan = Pick<TimestampInput, 'wallMs' | 'leadMs' | 'replaced'> & {
  /**
   * Whether it begins with the deposits of users that wait. Default: false, for a block that is opened only to show
   * what comes next, or that state changes from outside may replace: it must stay empty.
   */
  readonly takesDeposits?: boolean
}

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
  /** A real layer 1. Default: it is simulated. */
  readonly l1Chain?: Pick<L1Chain, 'after'> | undefined
}

/** Determines the attributes of the next block, from its parent and from settings that may change at run time. */
export class NextBlock {
  settings: NextBlockSettings
  readonly #config: ChainConfig
  readonly #clock: Pick<Clock, 'wall'>
  readonly #l1: L1Settings
  readonly #l1Chain: Pick<L1Chain, 'after'> | undefined
  readonly #deposits: WaitingDeposits | undefined

  constructor(
    { settings, config, l1 = DEFAULT_L1_SETTINGS, l1Chain }: NextBlockOptions,
    { clock, deposits }: { readonly clock: Pick<Clock, 'wall'>; readonly deposits?: WaitingDeposits | undefined },
  ) {
    this.settings = settings
    this.#config = config
    this.#clock = clock
    this.#l1 = l1
    this.#l1Chain = l1Chain
    this.#deposits = deposits
  }

  /** Whether layer 1 is real. */
  get followsLayer1(): boolean {
    return this.#l1Chain !== undefined
  }

  /** @throws UpgradeTooOldError, BlockTooOldError */
  attributes(parent: Pick<Block, 'header' | 'hash' | 'transactions'>, opening: OpeningPlan): BlockAttributes {
    const { number } = parent.header
    const { gasLimit, coinbase, l1: l1Settings = this.#l1 } = this.settings
    const config = this.#config
    const once = settingsOnce(this.settings, number + 1)
    const time = this.#timeAfter(parent, opening)
    const next = time.timestamp
    const mayAdvance = opening.takesDeposits === true
    const l1 = nextOrigin(parent, { timestamp: next, settings: l1Settings, l1Chain: this.#l1Chain, mayAdvance })
    const millisPart = isDenimBlock(number + 1, config) ? time.millisPart : undefined
    const { replayed } = once
    const systemTransactions = replayed?.deposits ?? openingTransactions(parent, l1, config, millisPart)
    const blockGasLimit = gasLimit / BigInt(denimScalingOf(number + 1, config))
    const choices = {
      timestamp: next,
      gasLimit: blockGasLimit,
      miner: coinbase,
      // Without a real L1, prevRandao is derived from the parent hash: unique but predictable.
      mixHash: once.prevRandao ?? l1.prevRandao ?? randomnessAfter(parent.hash, number),
      extraData: replayed?.extraData ?? headerFeeParameters(config, { number: number + 1, timestamp: next }),
      parentBeaconBlockRoot: replayed?.parentBeaconBlockRoot ?? l1.parentBeaconBlockRoot ?? ZERO_HASH,
      withdrawals: [],
      systemTransactions,
      ...(mayAdvance && { deposits: this.#depositsBehind(systemTransactions, l1.deposits, blockGasLimit) }),
    }
    const attributes = nextAttributes(parent, choices, config)
    return once.baseFeePerGas === undefined ? attributes : { ...attributes, baseFeePerGas: once.baseFeePerGas }
  }

  #timeAfter(
    parent: Pick<Block, 'header' | 'transactions'>,
    opening: OpeningPlan,
  ): Pick<BlockTime, 'timestamp' | 'millisPart'> {
    const { number, timestamp } = parent.header
    // Where Denim is scheduled, the time of each block follows from its number.
    const scheduled = scheduledTimeOf(number + 1, this.#config)
    if (scheduled !== undefined) return scheduled
    const { replayed, timestamp: original } = settingsOnce(this.settings, number + 1)
    // Its deposits have its milliseconds.
    if (replayed !== undefined && original !== undefined) return { timestamp: original, millisPart: 0 }
    const input = { parent: { number, timestamp }, ...opening }
    if (!isDenimBlock(number + 1, this.#config)) {
      return { timestamp: nextTimestamp(this.settings, input), millisPart: 0 }
    }
    return nextFreeTime(this.settings, { ...input, parentMs: parentMilliseconds(parent) })
  }

  /** Call when the first flashblock of a block, which is durable, shows that its parent is sealed. */
  opened(parent: Pick<Block, 'transactions'>, block: Pick<Block, 'transactions'>): void {
    this.#deposits?.announced(parent.transactions)
    this.#deposits?.announced(block.transactions)
  }

  #depositsBehind(
    systemTransactions: readonly DepositTransaction[],
    derived: readonly DepositLog[],
    blockGasLimit: bigint,
  ): readonly DepositTransaction[] {
    const l1 = l1AttributesOf({ transactions: systemTransactions })
    if (l1 === undefined) return []
    const reserved = systemTransactions.reduce((sum, transaction) => sum + transaction.gasLimit, 0n)
    const room = blockGasLimit - reserved
    if (this.#l1Chain !== undefined) return derivedDeposits(derived, l1.hash, room)
    return this.#deposits?.transactionsIn(l1, room) ?? []
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
  Pick<Header, 'baseFeePerGas' | 'parentBeaconBlockRoot'>

/** Whether an open block without transactions can serve as the next block with these attributes. */
export function isSameBlock(
  open: DecidedAttributes,
  wanted: DecidedAttributes & Pick<BlockAttributes, 'deposits'>,
): boolean {
  return (
    (wanted.deposits ?? []).length === 0 &&
    open.parentHash === wanted.parentHash &&
    open.timestamp === wanted.timestamp &&
    open.gasLimit === wanted.gasLimit &&
    open.baseFeePerGas === wanted.baseFeePerGas &&
    open.miner === wanted.miner &&
    open.mixHash === wanted.mixHash &&
    open.parentBeaconBlockRoot === wanted.parentBeaconBlockRoot
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
