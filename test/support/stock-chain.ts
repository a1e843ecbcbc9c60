import {
  type Abi,
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
import { DEVELOPMENT_ACCOUNTS } from '../../src/chain/genesis/development-accounts.ts'
import { createNetwork } from '../../src/chain/genesis/networks.ts'
import { STOCK_FACTORY_ADDRESS } from '../../src/chain/predeploys/stock-contracts.ts'
import { createEngine } from '../../src/engine/create-engine.ts'
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

const ABI: Abi = [...STOCK_TOKEN_ABI, ...STOCK_FACTORY_ABI, ...parseAbi(['error Panic(uint256 code)'])]

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
  readonly #state: StateOverlay
  #session: Session
  time = START
  stock: Hex = ZERO

  constructor() {
    this.#state = genesisState()
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
    const { config } = createNetwork().genesis
    return createEngine({ config }).open({ ...ENV, timestamp: this.time }, this.#state, {})
  }
}

/** A chain whose `stock` was created by the factory: 18 decimals, every role with `ADMIN`. */
export async function startStockChain(): Promise<StockChain> {
  const chain = new StockChain()
  const grants = STOCK_ROLES.map((role) => encodeCall('grantRole', [role, ADMIN]))
  const args = [0, idOf('test'), assetParams(), grants]
  const { result } = await chain.send(CAROL, 'createB20', args, { to: FACTORY })
  chain.stock = result as Hex
  return chain
}

function decodeError({ output }: Executed): Named {
  if (output.length === 0) return ['']
  const { errorName, args = [] } = decodeErrorResult({ abi: ABI, data: bytesToHex(output) })
  return [errorName, ...args]
}

function genesisState(): StateOverlay {
  const state = new StateOverlay(stateOf({}))
  for (const [address, { balance, nonce, code, storage }] of createNetwork().genesis.alloc) {
    state.setAccount(address, { balance, nonce, codeHash: state.setCode(address, code) })
    for (const [slot, value] of storage) state.setStorage(address, slot, value)
  }
  return state
}
