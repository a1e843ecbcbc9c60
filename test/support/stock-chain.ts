import {
  type Abi,
  concat,
  decodeErrorResult,
  decodeEventLog,
  decodeFunctionResult,
  encodeAbiParameters,
  encodeFunctionData,
  getAddress,
  type Hex,
  keccak256,
  parseAbi,
  parseAbiParameters,
  stringToHex,
} from 'viem'
import { formatAbiItem } from 'viem/utils'
import { DEVELOPMENT_ACCOUNTS } from '../../src/chain/accounts/development-accounts.ts'
import activationRegistry from '../../src/chain/b20/activation-registry.json' with { type: 'json' }
import b20Asset from '../../src/chain/b20/b20-asset.json' with { type: 'json' }
import b20Factory from '../../src/chain/b20/b20-factory.json' with { type: 'json' }
import b20Stablecoin from '../../src/chain/b20/b20-stablecoin.json' with { type: 'json' }
import policyRegistry from '../../src/chain/b20/policy-registry.json' with { type: 'json' }
import { layer2RulesOf } from '../../src/chain/forks/layer2-rules.ts'
import { forkOfUpgrade } from '../../src/chain/forks/upgrades.ts'
import { createNetwork } from '../../src/chain/genesis/networks.ts'
import { STOCK_FACTORY_ADDRESS } from '../../src/chain/predeploys/stock-contracts.ts'
import { createEngine } from '../../src/engine/session/create-engine.ts'
import type { Executed, Session } from '../../src/engine/types.ts'
import { bytesToHex, hexToBytes, type Slot, toAddress } from '../../src/primitives/hex.ts'
import { StateOverlay } from '../../src/state/overlay.ts'
import { callTo, ENV, executed, NO_CHECKS, stateOf } from './engine-fixture.ts'
import { STOCK_FACTORY_ABI, STOCK_ROLES, STOCK_TOKEN_ABI } from './stock-deployment.ts'

export const [ADMIN, ALICE, BOB, CAROL] = DEVELOPMENT_ACCOUNTS.map(({ address }) => getAddress(address)) as [
  Hex,
  Hex,
  Hex,
  Hex,
]
export const ZERO = `0x${'00'.repeat(20)}` as const
/** Start time of the tests; earlier than any schedule of the demonstration stocks. */
export const START = 1_800_000_000n
export const FACTORY = getAddress(STOCK_FACTORY_ADDRESS)
/** Role identifiers of the B20 asset standard. */
export const ALWAYS_BLOCK = (1n << 56n) | 1n

const SOLIDITY_ABI: Abi = [...STOCK_TOKEN_ABI, ...STOCK_FACTORY_ABI]
const NATIVE_ABI = [b20Asset, b20Stablecoin, b20Factory, policyRegistry, activationRegistry].flatMap(({ abi }) => abi)
/** Without items that several contracts declare: viem refuses to choose among equal ones. */
export const ABI: Abi = distinct([...SOLIDITY_ABI, ...(NATIVE_ABI as Abi), ...parseAbi(['error Panic(uint256 code)'])])

/** Upgrades of Base with native tokens. */
export const STOCK_UPGRADES = ['beryl', 'cobalt', 'denim'] as const
export type StockUpgrade = (typeof STOCK_UPGRADES)[number]

/** A contract that delegates calls to the address before the calldata. */
const DELEGATOR = toAddress(`0x${'de'.repeat(20)}`)
const DELEGATOR_CODE = '0x601436038060145f375f5f825f5f3560601c5af43d5f5f3e601e573d5ffd5b3d5ff3'
/** The same with STATICCALL. */
const STATIC_CALLER = toAddress(`0x${'5c'.repeat(20)}`)

/** Function name, then the arguments. */
export type Named = readonly [string, ...unknown[]]

export interface Sent {
  readonly events: readonly Named[]
  readonly result: unknown
  readonly gasUsed: number
}

interface Extra {
  readonly to?: Hex
  readonly value?: bigint
}

/** The keccak-256 of a name: a role's or policy scope's id. */
export function idOf(name: string): Hex {
  return keccak256(stringToHex(name))
}

export function encodeCall(functionName: string, args: readonly unknown[] = []): Hex {
  return encodeFunctionData({ abi: ABI, functionName, args })
}

export function assetParams(
  fields: Partial<{ version: number; name: string; symbol: string; admin: Hex; decimals: number }> = {},
): Hex {
  const { version = 1, name = 'Test Stock', symbol = 'TESTd', admin = ADMIN, decimals = 18 } = fields
  const parameters = parseAbiParameters('(uint8 version, string name, string symbol, address admin, uint8 decimals)')
  return encodeAbiParameters(parameters, [{ version, name, symbol, admin, decimals }])
}

/** The genesis of the main network in the engine, with one stock as the default target of calls. */
export class StockChain {
  readonly #upgrade: StockUpgrade | undefined
  readonly #state: StateOverlay
  #session: Session
  time = START
  stock: Hex = ZERO

  /** @param upgrade of Base, with native tokens; without one the stocks are Solidity contracts */
  constructor(upgrade?: StockUpgrade) {
    this.#upgrade = upgrade
    this.#state = genesisState(upgrade)
    this.#session = this.#open()
  }

  /** Sends a call; throws with the decoded error if it is refused. */
  async send(from: Hex, functionName: string, args: readonly unknown[] = [], extra: Extra = {}): Promise<Sent> {
    const outcome = await this.raw(from, encodeCall(functionName, args), extra)
    if (outcome.status !== 'success') throw new Error(`${functionName} was refused: ${String(decodeError(outcome))}`)
    return {
      events: outcome.logs.map(({ topics, data }) => {
        const log = { topics: topics as unknown as [Hex, ...Hex[]], data: bytesToHex(data) }
        const { eventName, args } = decodeEventLog({ abi: ABI, ...log })
        return [eventName!, ...Object.values(args ?? {})] as const
      }),
      result: decodeFunctionResult({ abi: ABI, functionName, data: bytesToHex(outcome.output) }),
      gasUsed: outcome.gasUsed,
    }
  }

  /** Returns the error of a refused call, which changes nothing. */
  async refusal(from: Hex, functionName: string, args: readonly unknown[] = [], extra: Extra = {}): Promise<Named> {
    const outcome = await this.raw(from, encodeCall(functionName, args), extra)
    if (outcome.status === 'success') throw new Error(`${functionName} was not refused`)
    return decodeError(outcome)
  }

  /** Executes a call without changes. */
  async read(functionName: string, args: readonly unknown[] = [], to: Hex = this.stock): Promise<unknown> {
    this.#session.checkpoint()
    const { result } = await this.send(ALICE, functionName, args, { to })
    this.#session.revert()
    return result
  }

  async raw(from: Hex, data: Hex, { to = this.stock, value = 0n }: Extra = {}): Promise<Executed> {
    const call = callTo(toAddress(to), { from: toAddress(from), data: hexToBytes(data), value, gasLimit: 16_000_000n })
    return executed(await this.#session.call(call, NO_CHECKS))
  }

  /** Runs the code of an account in the context of another contract. */
  delegateCall(to: Hex, data: Hex): Promise<Executed> {
    return this.raw(ALICE, concat([to, data]), { to: DELEGATOR })
  }

  /** Returns the error of a call that a contract makes without the right to write. */
  async refuseStatic(from: Hex, functionName: string, args: readonly unknown[], to: Hex): Promise<Named> {
    const outcome = await this.raw(from, concat([to, encodeCall(functionName, args)]), { to: STATIC_CALLER })
    if (outcome.status === 'success') throw new Error(`${functionName} was not refused`)
    return decodeError(outcome)
  }

  storageAt(slot: bigint): bigint {
    const key = `0x${slot.toString(16).padStart(64, '0')}` as Slot
    return this.#session.state.storage(toAddress(this.stock), key)
  }

  codeSize(address: Hex): number {
    const account = this.#session.state.account(toAddress(address))
    return account === undefined ? 0 : this.#session.state.code(account.codeHash).length
  }

  /** Starts another block at this time. */
  moveTo(time: bigint): void {
    this.#state.apply(this.#session.takeDiff())
    this.#session.close()
    this.time = time
    this.#session = this.#open()
  }

  close(): void {
    this.#session.close()
  }

  #open(): Session {
    const upgrade = this.#upgrade
    const { config } = createNetwork({ upgrade }).genesis
    const rules = upgrade && { fork: forkOfUpgrade(upgrade), layer2: layer2RulesOf(upgrade) }
    return createEngine({ config }).open({ ...ENV, timestamp: this.time, ...rules }, this.#state, {})
  }
}

/** A chain whose `stock` was created by the factory: 18 decimals, every role with `ADMIN`. */
export async function startStockChain(upgrade?: StockUpgrade): Promise<StockChain> {
  const chain = new StockChain(upgrade)
  const grants = STOCK_ROLES.map((role) => encodeCall('grantRole', [role, ADMIN]))
  const args = [0, idOf('test'), assetParams(), grants]
  const { result } = await chain.send(CAROL, 'createB20', args, { to: FACTORY })
  chain.stock = result as Hex
  return chain
}

function distinct(abi: Abi): Abi {
  const named = abi.filter((item) => 'name' in item)
  return [...new Map(named.map((item) => [`${item.type} ${formatAbiItem(item)}`, item])).values()]
}

function decodeError({ output }: Executed): Named {
  if (output.length === 0) return ['']
  const { errorName, args = [] } = decodeErrorResult({ abi: ABI, data: bytesToHex(output) })
  return [errorName, ...args]
}

function genesisState(upgrade: StockUpgrade | undefined): StateOverlay {
  const state = new StateOverlay(
    stateOf({ code: { [DELEGATOR]: DELEGATOR_CODE, [STATIC_CALLER]: DELEGATOR_CODE.replace('5af4', '5afa') } }),
  )
  for (const [address, { balance, nonce, code, storage }] of createNetwork({ upgrade }).genesis.alloc) {
    state.setAccount(address, { balance, nonce, codeHash: state.setCode(address, code) })
    for (const [slot, value] of storage) state.setStorage(address, slot, value)
  }
  return state
}
