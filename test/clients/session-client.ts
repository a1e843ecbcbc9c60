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

/** Reason of a failed call, decoded by the library rather than by the test. */
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
 * Steps of a session with one library over one transport, in the idiom of that library. The first development account
 * sends; reads are made at `pending`.
 */
export interface SessionClient {
  /** With checksum, as all three libraries return addresses. */
  readonly sender: string
  /** Deploys the ledger, which later calls use. */
  deploy(opening: bigint): Promise<SentTransaction & { readonly address: string }>
  code(): Promise<string>
  total(): Promise<bigint>
  /** Result of `record` in a call. */
  callRecord(amount: bigint, note: string): Promise<bigint>
  estimateRecord(amount: bigint, note: string): Promise<bigint>
  /** Sends and waits for the receipt. The library fills in nonce and fees, and gas unless given. */
  record(amount: bigint, note: string, gas?: bigint): Promise<SentTransaction>
  /** Logs from the block to `pending` with this indexed amount. */
  recordedLogs(fromBlock: bigint, amount: bigint): Promise<Recorded[]>
  /** Resolves when the watch is active: a filter over HTTP, a subscription over WebSocket. */
  watchRecorded(): Promise<Watch<Recorded>>
  /** Block numbers. */
  watchBlocks(): Promise<Watch<bigint>>
  /** Transaction hashes. */
  watchPending(): Promise<Watch<string>>
  /** Hashes of two blocks from `eth_newBlockFilter`. Removes the filter afterwards and reports whether it existed. */
  filterBlocks(): Promise<{ readonly hashes: readonly string[]; readonly isRemoved: boolean }>
  blockNumberOf(hash: string): Promise<bigint>
  /** Storage keys of the ledger in the access list of `record`. */
  accessedSlots(amount: bigint, note: string): Promise<{ readonly slots: readonly string[]; readonly gasUsed: bigint }>
  /** @throws Error when the call succeeds */
  failureOf(how: 'call' | 'estimate', call: FailingCall): Promise<Failure>
  feeHistory(blocks: number, percentiles: number[]): Promise<FeeHistory>
  /** Chain id and total in one message; absent if the library sends each request separately. */
  batch?(): Promise<{ readonly chainId: bigint; readonly total: bigint; readonly requestsInMessage: number }>
  close(): Promise<void>
}
