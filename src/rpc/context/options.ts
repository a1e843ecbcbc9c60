import type { InnerGas } from '../../engine/call/estimate-gas.ts'
import type { Address } from '../../primitives/hex.ts'
import type { Compat } from '../compat/compat.ts'
import type { Dialect } from '../protocol/dialect.ts'
import type { LatestState } from '../protocol/latest-state.ts'
import type { RpcLimits } from '../protocol/limits.ts'
import type { Namespaces } from '../protocol/namespaces.ts'

export const INNER_GAS_RULES: readonly InnerGas[] = ['strict', 'go-ethereum']

/** Options of the JSON-RPC server. */
export interface RpcOptions extends RpcLimits {
  readonly dialect: Dialect
  /** State at `latest` for clients whose connection does not choose it. */
  readonly latestState: LatestState
  /** Time that a request for a receipt waits for the next flashblock. Default: 1.5 flashblock intervals. */
  readonly receiptWaitMs: number | undefined
  /** Age up to which blocks have proofs; `Infinity`: all blocks with state. */
  readonly proofWindowSeconds: number
  /** Result of `web3_clientVersion`, such as `Tickertape/v0.1.0/linux-x64/node20.19.0`. */
  readonly clientVersion: string
  /** Version of the node in the OpenRPC document: `0.1.0`. */
  readonly version: string
  /** Result of `net_version`. */
  readonly networkId: bigint
  /** Suggested tip in wei per gas while the newest block has room. */
  readonly minTip: bigint
  /** Namespaces enabled over HTTP, and over WebSocket. */
  readonly httpNamespaces: Namespaces
  readonly wsNamespaces: Namespaces
  /** Whether the methods of development nodes are enabled. */
  readonly development: boolean
  /** The same for clients that came to a node on loopback through a proxy. Default: as for others. */
  readonly outside?: Pick<RpcOptions, 'httpNamespaces' | 'wsNamespaces' | 'development'> | undefined
  /** The node whose responses are reproduced; `undefined`: that of each method's namespace. */
  readonly compat: Compat | undefined
  /** See `EstimateGasOptions`. */
  readonly estimateInnerGas: InnerGas
  /** Sender of calls and estimates that name none. Default: the zero address. */
  readonly defaultSender: Address | undefined
}
