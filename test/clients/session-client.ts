import type { ObservedEvents } from './observed-events.ts'

export const TRANSPORTS = ['HTTP', 'WebSocket'] as const
export type Transport = (typeof TRANSPORTS)[number]

export interface SentTransaction {
  readonly hash: string
  readonly blockNumber: bigint
  readonly gasUsed: bigint
  readonly isSuccess: boolean
  readonly logs: number
}

/** The contract's event, decoded. */
export interface Recorded {
  readonly by: string
  readonly amount: bigint
  readonly note: string
  readonly transactionHash: string
}

/** Why a call failed, decoded by the library and not by the test. */
export type Failure =
  | { readonly kind: 'reason'; readonly text: string }
  | { readonly kind: 'custom'; readonly name: string; readonly args: readonly unknown[] }
  | { readonly kind: 'panic'; readonly code: bigint }

export type FailingCall = readonly ['record', amount: bigint, note: string] | readonly ['withdraw', amount: bigint]

export interface Watch<T> {
  readonly observedEvents: ObservedEvents<T>
  stop(): Promise<void>
}

export interface FeeHistory {
  readonly oldestBlock: bigint
  readonly baseFees: number
  readonly gasUsedRatios: readonly number[]
  readonly rewards: readonly (readonly bigint[])[]
}

/**
 * What a session does, done with one library over one transport in the way of that library. Sends come from the first
 * development account; reads are made at `pending`.
 */
export interface SessionClient {
  /** Checksummed, as all three libraries show addresses. */
  readonly sender: string
  /** Deploys the ledger; later calls are about it. */
  deploy(opening: bigint): Promise<SentTransaction & { readonly address: string }>
  code(): Promise<string>
  total(): Promise<bigint>
  /** What `record` would return, without sending it. */
  callRecord(amount: bigint, note: string): Promise<bigint>
  estimateRecord(amount: bigint, note: string): Promise<bigint>
  /** Sends and waits for the receipt; the library finds out nonce, fees and gas unless gas is given. */
  record(amount: bigint, note: string, gas?: bigint): Promise<SentTransaction>
  /** From the block on, up to `pending`, with this indexed amount. */
  recordedLogs(fromBlock: bigint, amount: bigint): Promise<Recorded[]>
  /** Resolves once the node watches: a filter over HTTP, a subscription over WebSocket. */
  watchRecorded(): Promise<Watch<Recorded>>
  /** Numbers of blocks. */
  watchBlocks(): Promise<Watch<bigint>>
  /** Hashes of transactions. */
  watchPending(): Promise<Watch<string>>
  /**
   * Hashes of blocks, from `eth_newBlockFilter`, until two were told; then the filter is removed: whether it was
   * there.
   */
  filterBlocks(): Promise<{ readonly hashes: readonly string[]; readonly isRemoved: boolean }>
  blockNumberOf(hash: string): Promise<bigint>
  /** Storage keys of the ledger in the access list of `record`. */
  accessedSlots(amount: bigint, note: string): Promise<{ readonly slots: readonly string[]; readonly gasUsed: bigint }>
  /** @throws Error when it does not fail */
  failureOf(how: 'call' | 'estimate', call: FailingCall): Promise<Failure>
  feeHistory(blocks: number, percentiles: number[]): Promise<FeeHistory>
  /** Chain id and total in one message; absent where the library sends each request by itself. */
  batch?(): Promise<{ readonly chainId: bigint; readonly total: bigint; readonly requestsInMessage: number }>
  close(): Promise<void>
}
