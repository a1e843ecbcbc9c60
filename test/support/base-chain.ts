import {
  decodeErrorResult,
  decodeEventLog,
  decodeFunctionResult,
  encodeAbiParameters,
  getAddress,
  type Hex,
  keccak256,
  pad,
  parseAbiParameters,
  stringToHex,
  toHex,
} from 'viem'
import { B20_FACTORY_ADDRESS, b20Address, POLICY_REGISTRY_ADDRESS } from '../../src/chain/b20/addresses.ts'
import { createNode, type TickertapeNode } from '../../src/library/create-node.ts'
import type { NodeOptions } from '../../src/library/node-options.ts'
import { toAddress, toHash } from '../../src/primitives/hex.ts'
import { ABI, assetParams, encodeCall, idOf, type Named } from './stock-chain.ts'

// A stand-in of Base after Denim: a node with Base's chain id, blocks of Denim, and tokens with issuers and holders.

export const BASE_CHAIN_ID = 8_453
/** Denim on Base (docs/fork.md), a while later. */
const BASE_TIME = 1_793_901_600 + 600

/** Accounts without keys: a fork impersonates them. */
export const [ISSUER, HOLDER, BUYER, STRANGER] = [1, 2, 3, 4].map((digit) =>
  getAddress(`0x${`${digit}0`.repeat(20)}`),
) as [Hex, Hex, Hex, Hex]
export const BASE_ACCOUNTS = [ISSUER, HOLDER, BUYER, STRANGER]

const ROLES = ['MINT', 'BURN', 'BURN_BLOCKED', 'SEIZE', 'PAUSE', 'UNPAUSE', 'METADATA', 'OPERATOR']
const ASSET_SALT = idOf('asset')
export const ASSET = getAddress(b20Address('asset', toAddress(ISSUER), toHash(ASSET_SALT)))
/** A stock that Base lists. */
export const AAPLC = getAddress('0xb200000000000000000000c2e324d24d7eecd1fb')
/** Admits the issuer, the holder and the buyer. */
export const ALLOWLIST = (1n << 56n) | 2n

export const SUPPLY = 4_165_7299_0000n
export const HELD = 1_000_0000_0000n

/** What a transaction of an account did: the names and arguments of its events, or the error. */
export interface Outcome {
  readonly status: 'success' | 'reverted'
  readonly gasUsed: string
  readonly logs: readonly object[]
  readonly events: readonly Named[]
  /** Data of the same call on the state before, where it reverts. */
  readonly revertData?: Hex | undefined
  readonly error?: string | undefined
}

/** A node on which accounts act without their keys. */
export class BaseNode {
  readonly node: TickertapeNode

  constructor(node: TickertapeNode) {
    this.node = node
  }

  request<T = unknown>(method: string, ...params: unknown[]): Promise<T> {
    return this.node.request({ method, params }) as Promise<T>
  }

  /** Sends a call and mines it, whatever its result. */
  async act(from: Hex, functionName: string, args: readonly unknown[] = [], to: Hex = ASSET): Promise<Outcome> {
    const call = { from, to, data: encodeCall(functionName, args), gas: '0x4c4b40' }
    const revertData = await this.request('eth_call', call).then(
      () => undefined,
      (error: { data?: Hex }) => error.data ?? '0x',
    )
    const hash = await this.request('eth_sendTransaction', call)
    const receipt = await this.request<{ status: string; gasUsed: string; logs: RpcLog[] }>(
      'eth_getTransactionReceipt',
      hash,
    )
    return {
      status: receipt.status === '0x1' ? 'success' : 'reverted',
      gasUsed: receipt.gasUsed,
      logs: receipt.logs.map(({ address, topics, data }) => ({ address, topics, data })),
      events: receipt.logs.map(eventOf),
      revertData,
      error: revertData && errorName(revertData),
    }
  }

  async read<T = unknown>(functionName: string, args: readonly unknown[] = [], to: Hex = ASSET): Promise<T> {
    const data = await this.request<Hex>('eth_call', { to, data: encodeCall(functionName, args) }, 'latest')
    return decodeFunctionResult({ abi: ABI, functionName, data }) as T
  }

  /** Lets the accounts act, with ether for fees. */
  async impersonate(accounts: readonly Hex[]): Promise<void> {
    for (const account of accounts) {
      await this.request('anvil_impersonateAccount', account)
      await this.request('anvil_setBalance', account, '0x8ac7230489e80000')
    }
  }

  close(): Promise<void> {
    return this.node.close()
  }
}

interface RpcLog {
  readonly address: string
  readonly topics: [Hex, ...Hex[]]
  readonly data: Hex
}

function errorName(data: Hex): string {
  return data === '0x' ? 'no data' : decodeErrorResult({ abi: ABI, data }).errorName
}

function eventOf({ topics, data }: RpcLog): Named {
  const { eventName, args } = decodeEventLog({ abi: ABI, topics, data })
  return [eventName!, ...Object.values(args ?? {})]
}

/** Roots of the namespaces of a token (Base specs: B20), by which a token has its storage without our contracts. */
const TOKEN_ROOT = 0xc78b71fee795ddd74aff64ea9b2474194c938c3196430e10bb5f01ed48434000n
const ASSET_ROOT = 0xfdc6d4552d1286ade4d9facdbf0fb50d2ec9b89a90e104f26fd277585e374b00n

/** A listed stock, slot by slot: MINT and BURN are paused, the holder has all units. */
async function placeListedStock(node: BaseNode): Promise<void> {
  const balance = BigInt(keccak256(encodeAbiParameters(TWO_WORDS, [BigInt(HOLDER), TOKEN_ROOT + 4n])))
  const slots: readonly (readonly [bigint, bigint])[] = [
    [TOKEN_ROOT, shortString('Apple Inc.')],
    [TOKEN_ROOT + 1n, shortString('AAPLc')],
    [TOKEN_ROOT + 3n, SUPPLY],
    [balance, SUPPLY],
    [TOKEN_ROOT + 11n, 0b110n],
    [TOKEN_ROOT + 12n, 2n ** 128n - 1n],
    [ASSET_ROOT, 8n],
    [ASSET_ROOT + 1n, 1_020_000_000_000_000_000n],
  ]
  await node.request('anvil_setCode', AAPLC, '0xef')
  for (const [slot, value] of slots) await node.request('anvil_setStorageAt', AAPLC, toHex(slot), word(value))
}

const TWO_WORDS = parseAbiParameters('uint256, uint256')
const word = (value: bigint) => toHex(value, { size: 32 })

/** Solidity's form of a string below 32 bytes: its bytes, and twice its length. */
function shortString(text: string): bigint {
  return BigInt(pad(stringToHex(text), { dir: 'right' })) | BigInt(2 * text.length)
}

/** Base with a listed stock, and a token that has an issuer with all roles, an allowlist and two holders. */
export async function startBaseChain(): Promise<BaseNode> {
  const node = new BaseNode(
    await createNode({ profile: 'denim', chainId: BASE_CHAIN_ID, timestamp: BigInt(BASE_TIME), mining: 'auto' }),
  )
  await node.impersonate(BASE_ACCOUNTS)
  const roles = ROLES.map((role) => encodeCall('grantRole', [idOf(`${role}_ROLE`), ISSUER]))
  const params = assetParams({ name: 'Stand-in plc', symbol: 'STANDc', decimals: 8, admin: ISSUER })
  const listed = [ISSUER, HOLDER, BUYER]
  const steps = [
    [ISSUER, 'createB20', [0, ASSET_SALT, params, roles], B20_FACTORY_ADDRESS],
    [ISSUER, 'createPolicyWithAccounts', [ISSUER, 1, listed], POLICY_REGISTRY_ADDRESS],
    [ISSUER, 'updatePolicy', [idOf('TRANSFER_RECEIVER_POLICY'), ALLOWLIST]],
    [ISSUER, 'updateExtraMetadata', ['isin', 'ZZ0000STAND0']],
    [ISSUER, 'updateMultiplier', [1_020_000_000_000_000_000n]],
    [ISSUER, 'mint', [ISSUER, SUPPLY - HELD]],
    [ISSUER, 'mint', [HOLDER, HELD]],
    [HOLDER, 'approve', [BUYER, 500n]],
  ] as const
  for (const [from, name, args, to] of steps) {
    const { status, revertData } = await node.act(from, name, args, to as Hex | undefined)
    if (status !== 'success') throw new Error(`${name} was refused: ${revertData}`)
  }
  await placeListedStock(node)
  // What was placed is in the state of a block from then on.
  await node.request('evm_mine')
  return node
}

/** A fork of another node without flags that name rules. */
export async function startBaseFork(upstream: BaseNode, options: NodeOptions = {}): Promise<BaseNode> {
  const { url } = await upstream.node.listen()
  const node = new BaseNode(await createNode({ forkUrl: url, noForkCache: true, mining: 'auto', ...options }))
  await node.impersonate(BASE_ACCOUNTS)
  return node
}
