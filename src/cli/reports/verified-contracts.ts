import { boundedFetch, ResponseTooLargeError } from '../../primitives/bounded-fetch.ts'
import type { Address } from '../../primitives/hex.ts'
import { contractOfSourcify, SOURCIFY_FIELDS } from '../../solidity/compiled/read-output.ts'
import type { SolidityContract } from '../../solidity/compiled/solidity-contract.ts'
import { fetchFailureReason, type JsonRpc } from '../stock/chain/json-rpc.ts'
import { StockError } from '../stock/terms/stock-error.ts'

/** Contracts of one report whose sources are read. */
const MAX_READ = 100
const MAX_SOURCE_BYTES = 64 * 2 ** 20

interface SourcesOfNode {
  readonly rpcUrl: string
  readonly requestTimeoutMs: number
}

/** The contracts at addresses that the node has verified, of the first hundred addresses. */
export async function verifiedContracts(
  node: SourcesOfNode,
  rpc: JsonRpc,
  addresses: readonly Address[],
): Promise<readonly SolidityContract[]> {
  if (addresses.length === 0) return []
  const chainId = BigInt(String(await rpc.request(['eth_chainId'])))
  const contracts: SolidityContract[] = []
  for (const address of addresses.slice(0, MAX_READ)) {
    const contract = await verifiedContract(node, chainId, address)
    if (contract !== undefined) contracts.push(contract)
  }
  return contracts
}

/**
 * The contract at an address that the node has verified; `undefined`: it has not, or does not verify.
 *
 * @throws StockError `NODE_UNREACHABLE`, and `NODE_ERROR` for sources that are too large
 */
export async function verifiedContract(
  { rpcUrl, requestTimeoutMs }: SourcesOfNode,
  chainId: bigint,
  address: string,
): Promise<SolidityContract | undefined> {
  const url = new URL(rpcUrl)
  url.pathname = `/verify/sourcify/v2/contract/${chainId}/${address}`
  url.search = `?fields=${SOURCIFY_FIELDS}`
  const signal = AbortSignal.timeout(requestTimeoutMs)
  try {
    const response = await boundedFetch(MAX_SOURCE_BYTES)(`${url}`, { signal })
    return response.status === 200 ? contractOfSourcify((await response.json()) as object) : undefined
  } catch (error) {
    if (error instanceof ResponseTooLargeError) {
      throw new StockError('NODE_ERROR', `the verified sources of ${address} are too large: ${error.message}`)
    }
    const reason = fetchFailureReason(error, requestTimeoutMs)
    throw new StockError('NODE_UNREACHABLE', `verified sources cannot be read at ${url.origin}: ${reason}`)
  }
}
