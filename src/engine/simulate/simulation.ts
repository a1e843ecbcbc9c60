import type { Block } from '../../chain/block/block.ts'
import type { Header } from '../../chain/block/header.ts'
import type { LogMatch } from '../../chain/receipt/log-query.ts'
import type { Bytes, Hash } from '../../primitives/hex.ts'
import type { StateReader } from '../../state/state-reader.ts'
import type { StateTrie } from '../../state/trie/state-trie.ts'
import type { BlockOverrides } from '../call/block-overrides.ts'
import type { CallRequest } from '../call/call-message.ts'
import type { StateOverrides } from '../call/state-overrides.ts'
import type { HaltReason } from '../halt-reason.ts'
import type { Executed, MayContinue } from '../types.ts'
import type { SimulationError } from './simulation-error.ts'

/** One block to simulate; every member is optional. */
export interface BlockRequest {
  readonly blockOverrides?: BlockOverrides
  /** Applied before the block's calls; they persist in later blocks. */
  readonly stateOverrides?: StateOverrides
  readonly calls?: readonly CallRequest[]
}

/** Payload of `eth_simulateV1`; results always include full transactions. */
export interface SimulationPayload {
  readonly blocks: readonly BlockRequest[]
  /** Value transfers emit logs of 0xeee…e. Default: false. */
  readonly traceTransfers?: boolean
  /** Checks nonces, fees, funds and senders as in a real block. Default: false. */
  readonly validation?: boolean
}

/** The block that the simulation builds on, and the state after it. */
export interface SimulationBase {
  readonly header: Header
  readonly hash: Hash
  /** Includes all flashblocks of the block, also if it is pending. */
  readonly state: StateReader
  /** Of the same state; required for `stateRoots: 'real'`. */
  readonly trie?: StateTrie
}

export interface SimulationOptions {
  /** Seconds between blocks without a time of their own. */
  readonly blockTimeSeconds: bigint
  /** `zero`: 32 zero bytes, since nothing is committed. Default: `zero`. */
  readonly stateRoots?: 'zero' | 'real'
  /**
   * `contiguous`: as in a real block. `emitted`: logs of reverted frames and calls leave gaps, as in go-ethereum.
   * Default: `contiguous`.
   */
  readonly logIndexes?: 'contiguous' | 'emitted'
  /** Gas of all calls together. Default: 50,000,000. */
  readonly gasCap?: bigint
  /** Including gaps. Default: 256. */
  readonly maxBlocks?: number
  /** Default: 5,000. */
  readonly maxCallsPerBlock?: number
  /** Default: 10,000. */
  readonly maxCalls?: number
  /** Called between calls and within long ones; `false` ends the simulation with a timeout. */
  readonly mayContinue?: MayContinue
  /** Called with each executed call; an exception ends the simulation. */
  readonly onExecuted?: (result: Executed) => void
}

export type CallError =
  /** `reason`: decoded from `Error(string)` or `Panic(uint256)`. */
  | { readonly kind: 'reverted'; readonly reason: string | undefined }
  | { readonly kind: 'halted'; readonly reason: HaltReason }

export interface SimulatedCall {
  readonly status: 0 | 1
  /** Return or revert data. */
  readonly returnData: Bytes
  readonly gasUsed: number
  /** Before refunds. */
  readonly maxUsedGas: number
  /** With traced transfers; empty if it failed. */
  readonly logs: readonly LogMatch[]
  readonly error?: CallError
}

/** A simulated block. Its transactions have zero signatures. */
export interface SimulatedBlock extends Block {
  readonly calls: readonly SimulatedCall[]
}

export type SimulationResult =
  | { readonly kind: 'simulated'; readonly blocks: readonly SimulatedBlock[] }
  | { readonly kind: 'failed'; readonly error: SimulationError }
