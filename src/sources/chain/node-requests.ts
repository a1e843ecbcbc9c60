import type { Address, Bytes, Hash, Hex } from '../../primitives/hex.ts'
import { bytesToHex, hexToBytes } from '../../primitives/hex.ts'
import type { Deployment } from '../store/verified-source.ts'

/** Runs a JSON-RPC method of the node. @throws NodeRequestError */
export type NodeRequest = (method: string, ...params: readonly unknown[]) => Promise<unknown>

/** The code of an account, pre-confirmed transactions included. */
export async function codeAt(request: NodeRequest, address: Address): Promise<Bytes> {
  return hexToBytes((await request('eth_getCode', address, 'pending')) as string)
}

interface WireTransaction {
  readonly hash: Hash
  readonly from: Address
  readonly to: Address | null
  readonly input: Hex
  readonly blockNumber: Hex | null
  readonly transactionIndex: Hex | null
}

/**
 * How a contract was created.
 *
 * @param contract.code its code: a creation that returned other code is not that of this contract
 * @param contract.hash of the transaction, if it is known
 * @returns `undefined`: it is part of block 0, or was not found
 */
export async function deploymentOf(
  request: NodeRequest,
  { address, code, hash }: { readonly address: Address; readonly code: Bytes; readonly hash?: Hash | undefined },
): Promise<Deployment | undefined> {
  const transactionHash = hash ?? (await creationHash(request, address))
  if (transactionHash === undefined) return undefined
  const transaction = (await request('eth_getTransactionByHash', transactionHash)) as WireTransaction | null
  const creationCode = transaction && (await creationCodeIn(request, transaction, address, code))
  if (transaction === null || creationCode === undefined || creationCode === null) return undefined
  const { from, blockNumber, transactionIndex } = transaction
  return {
    transactionHash,
    deployer: from,
    blockNumber: blockNumber === null ? null : Number(blockNumber),
    transactionIndex: transactionIndex === null ? null : Number(transactionIndex),
    creationCode,
  }
}

async function creationHash(request: NodeRequest, address: Address): Promise<Hash | undefined> {
  const creator = (await request('ots_getContractCreator', address)) as { readonly hash: Hash } | null
  return creator?.hash ?? (await preconfirmedCreation(request, address))
}

/** The search for creators reads sealed blocks. */
async function preconfirmedCreation(request: NodeRequest, address: Address): Promise<Hash | undefined> {
  const receipts = (await request('eth_getBlockReceipts', 'pending')) as
    | readonly { readonly transactionHash: Hash; readonly contractAddress: Address | null }[]
    | null
  return receipts?.find(({ contractAddress }) => contractAddress === address)?.transactionHash
}

interface CallFrame {
  readonly type: string
  readonly to?: Address
  readonly input: Hex
  /** Of a creation: the code of the contract. */
  readonly output?: Hex
  readonly error?: string
  readonly calls?: readonly CallFrame[]
}

/** The code that created a contract, also where another contract did it. */
async function creationCodeIn(request: NodeRequest, { hash }: WireTransaction, address: Address, code: Bytes) {
  const root = (await request('debug_traceTransaction', hash, { tracer: 'callTracer' })) as CallFrame
  const frame = lastCreation(root, address)
  return frame?.output === bytesToHex(code) ? frame.input : undefined
}

/** A failed call undoes the creations in it: a contract could create honest code, revert, and create other code. */
function lastCreation(frame: CallFrame, address: Address): CallFrame | undefined {
  if (frame.error !== undefined) return undefined
  if (frame.type.startsWith('CREATE') && frame.to === address) return frame
  return frame.calls
    ?.toReversed()
    .map((call) => lastCreation(call, address))
    .find((found) => found !== undefined)
}

/** Storage slots of EIP-1967. */
const IMPLEMENTATION_SLOT = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc'
const BEACON_SLOT = '0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50'
/** Selector of `implementation()`. */
const IMPLEMENTATION_CALL = '0x5c60da1b'
/** Code of a minimal proxy around the address (EIP-1167). */
const MINIMAL_PROXY = /^0x363d3d373d3d3d363d73([0-9a-f]{40})5af43d82803e903d91602b57fd5bf3$/

export interface Proxy {
  readonly kind: 'EIP1167Proxy' | 'EIP1967Proxy' | 'BeaconProxy'
  readonly implementation: Address
}

/** The implementation of a proxy; `undefined`: the contract is no proxy of a known kind. */
export async function proxyOf(request: NodeRequest, address: Address): Promise<Proxy | undefined> {
  const minimal = MINIMAL_PROXY.exec((await request('eth_getCode', address, 'pending')) as string)?.[1]
  if (minimal !== undefined) return { kind: 'EIP1167Proxy', implementation: `0x${minimal}` as Address }
  const slot = async (key: string) => addressIn(await request('eth_getStorageAt', address, key, 'pending'))
  const implementation = await slot(IMPLEMENTATION_SLOT)
  if (implementation !== undefined) return { kind: 'EIP1967Proxy', implementation }
  const beacon = await slot(BEACON_SLOT)
  if (beacon === undefined) return undefined
  const call = request('eth_call', { to: beacon, data: IMPLEMENTATION_CALL }, 'pending')
  const behind = addressIn(await call.catch(() => undefined))
  return behind && { kind: 'BeaconProxy', implementation: behind }
}

/** The address in a word; `undefined` for zero, and for anything else. */
function addressIn(word: unknown): Address | undefined {
  const found = typeof word === 'string' ? /^0x0{24}([0-9a-f]{40})$/.exec(word)?.[1] : undefined
  return found === undefined || /^0+$/.test(found) ? undefined : (`0x${found}` as Address)
}
