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

/** One block to simulate; all of it may be missing. */
export interface BlockRequest {
  readonly blockOverrides?: BlockOverrides
  /** Applied before the block's calls, and still there in later blocks. */
  readonly stateOverrides?: StateOverrides
  readonly calls?: readonly CallRequest[]
}

/** What `eth_simulateV1` is asked for (spec-facts 9.1); full transactions are always in the answer. */
export interface SimulationPayload {
  readonly blocks: readonly BlockRequest[]
  /** Value transfers appear as logs of 0xeee…e. Default false. */
  readonly traceTransfers?: boolean
  /** Nonces, fees, funds and senders as in a real block. Default false. */
  readonly validation?: boolean
}

/** The block that the simulation continues, and the state after it. */
export interface SimulationBase {
  readonly header: Header
  readonly hash: Hash
  /** With all that the block holds, also when it is the pending one: nothing is applied again (field guide P5). */
  readonly state: StateReader
  /** Of the same state; needed for `stateRoots: 'real'`. */
  readonly trie?: StateTrie
}

export interface SimulationOptions {
  /** Seconds between blocks without a time of their own. */
  readonly blockTime: bigint
  /** `zero`: 32 zero bytes, since nothing is committed (contract: simulated block result). Default `zero`. */
  readonly stateRoots?: 'zero' | 'real'
  /**
   * `contiguous`: as in a real block. `emitted`: logs of reverted frames and calls leave gaps, as in go-ethereum's
   * answers. Default `contiguous`.
   */
  readonly logIndexes?: 'contiguous' | 'emitted'
  /** Gas for all calls together; default 50,000,000. */
  readonly gasCap?: bigint
  /** Default 256, gaps included. */
  readonly maxBlocks?: number
  /** Default 5,000. */
  readonly maxCallsPerBlock?: number
  /** Default 10,000. */
  readonly maxCalls?: number
  /** Asked between calls and within long ones; `false` ends the simulation as timed out. */
  readonly mayContinue?: MayContinue
  /** Told of each call that ran; what it throws ends the simulation. */
  readonly onExecuted?: (result: Executed) => void
}

export type CallError =
  /** `reason`: decoded from `Error(string)` or `Panic(uint256)`. */
  | { readonly kind: 'reverted'; readonly reason: string | undefined }
  | { readonly kind: 'halted'; readonly reason: HaltReason }

export interface SimulatedCall {
  readonly status: 0 | 1
  /** What it returned or reverted with. */
  readonly returnData: Bytes
  readonly gasUsed: number
  /** Before refunds. */
  readonly maxUsedGas: number
  /** With transfers, if traced; none when it failed. */
  readonly logs: readonly LogMatch[]
  readonly error?: CallError
}

/** A block that could have been. Its transactions have zero signatures. */
export interface SimulatedBlock extends Block {
  readonly calls: readonly SimulatedCall[]
}

export type SimulationResult =
  | { readonly kind: 'simulated'; readonly blocks: readonly SimulatedBlock[] }
  | { readonly kind: 'failed'; readonly error: SimulationError }
