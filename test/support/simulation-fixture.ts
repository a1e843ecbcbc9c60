import { DEVELOPMENT_ACCOUNTS } from '../../src/chain/accounts/development-accounts.ts'
import { hashHeader } from '../../src/chain/block/header-codec.ts'
import { genesisHeader } from '../../src/chain/genesis/genesis.ts'
import { createNetwork } from '../../src/chain/genesis/networks.ts'
import { createEngine } from '../../src/engine/session/create-engine.ts'
import { simulate } from '../../src/engine/simulate/simulate.ts'
import type {
  SimulatedBlock,
  SimulationBase,
  SimulationOptions,
  SimulationPayload,
} from '../../src/engine/simulate/simulation.ts'
import type { Engine } from '../../src/engine/types.ts'
import {
  type Address,
  type Bytes,
  EMPTY_BYTES,
  hexToBytes,
  type Slot,
  toAddress,
  ZERO_HASH,
} from '../../src/primitives/hex.ts'
import { keccakHash } from '../../src/primitives/keccak.ts'
import { bigintToSlot } from '../../src/primitives/quantity.ts'
import { genesisDiff } from '../../src/state/genesis-state.ts'
import { layerReader } from '../../src/state/layered-reader.ts'
import type { StateReader } from '../../src/state/state-reader.ts'
import { createStateTrie } from '../../src/state/trie/state-trie.ts'

/** A layer-2 chain with Prague rules: its genesis block and these contracts. */
export interface SimulationFixture {
  readonly engine: Engine
  readonly base: Required<SimulationBase>
}

export const ALICE = DEVELOPMENT_ACCOUNTS[0]!.address
export const BOB = DEVELOPMENT_ACCOUNTS[1]!.address
/** An address without account. */
export const POOR = toAddress(`0x${'c0'.repeat(20)}`)

/** 64 bytes of calldata: stores the first word in the slot of the second; else returns the slot of the first. */
export const STORE = contract('a1', '366040146013576000355460005260206000f35b6000356020355500')
/** Returns number, timestamp, base fee, prevrandao, coinbase, gas limit and blob base fee. */
export const ENVIRONMENT = contract('a2', '43600052426020524860405244606052416080524560a0524a60c05260e06000f3')
/** Returns the hash of the block of this number. */
export const BLOCKHASH = contract('a3', '6000354060005260206000f3')
/** Reverts with Error("nope"). */
export const NOPE = contract(
  'a4',
  `6064600c60003960646000fd08c379a0${'20'.padStart(64, '0')}${'4'.padStart(64, '0')}${'6e6f7065'.padEnd(64, '0')}`,
)
export const INVALID = contract('a5', 'fe')
/** Emits a log without topics and data. */
export const LOG = contract('a6', '60006000a000')
/** Forwards received ether to `BOB`. */
export const FORWARD = contract('a7', `60006000600060003473${BOB.slice(2)}5af100`)
/** Writes ten new slots. */
export const WRITER = contract('a8', Array.from({ length: 10 }, (_, slot) => `600160${hexByte(slot)}55`).join(''))
/** Calls `WRITER` with all gas but a 64th; reverts if that failed. */
export const CALLER = contract('a9', `6000600060006000600073${WRITER.address.slice(2)}5af115602b57005b60006000fd`)
/** Loops forever. */
export const LOOP = contract('aa', '5b600056')

const CONTRACTS = [STORE, ENVIRONMENT, BLOCKHASH, NOPE, INVALID, LOG, FORWARD, WRITER, CALLER, LOOP]
const NOTHING: StateReader = {
  account: () => undefined,
  storage: () => 0n,
  hasStorage: () => false,
  code: () => EMPTY_BYTES,
  blockHash: () => ZERO_HASH,
}

export function simulationFixture(): SimulationFixture {
  const { genesis } = createNetwork()
  const alloc = new Map(genesis.alloc)
  for (const { address, code } of CONTRACTS) {
    const storage = new Map<Slot, bigint>(
      address === STORE.address
        ? [
            [bigintToSlot(1n), 11n],
            [bigintToSlot(2n), 22n],
          ]
        : [],
    )
    alloc.set(address, { balance: 0n, nonce: 1n, code, storage })
  }
  const diff = genesisDiff(alloc)
  const trie = createStateTrie().apply(diff)
  const header = genesisHeader({ ...genesis, alloc }, trie.root)
  return {
    engine: createEngine({ config: genesis.config }),
    base: { header, hash: hashHeader(header), state: layerReader(NOTHING, [{ diff }], new Map()), trie },
  }
}

/** Concatenates 32-byte words. */
export function words(...values: readonly bigint[]): Bytes {
  return hexToBytes(`0x${values.map((value) => value.toString(16).padStart(64, '0')).join('')}`)
}

/** Splits bytes into words. */
export function readWords(bytes: Bytes): readonly bigint[] {
  const hex = Buffer.from(bytes).toString('hex')
  return (hex.match(/.{64}/g) ?? []).map((word) => BigInt(`0x${word}`))
}

/** The simulated blocks on `base`, 2 s apart. */
export async function simulatedBlocks(
  fixture: SimulationFixture,
  payload: SimulationPayload,
  options: Partial<SimulationOptions> = {},
): Promise<readonly SimulatedBlock[]> {
  const result = await simulate(fixture.engine, fixture.base, payload, { blockTimeSeconds: 2n, ...options })
  if (result.kind === 'failed') throw new Error(`failed: ${result.error.code}`)
  return result.blocks
}

/** The words that a simulated call returned. */
export function returned(block: SimulatedBlock | undefined, call = 0): readonly bigint[] {
  return readWords(block!.calls[call]!.returnData)
}

interface Contract {
  readonly address: Address
  readonly code: Bytes
  readonly codeHash: ReturnType<typeof keccakHash>
}

function contract(suffix: string, code: string): Contract {
  const bytes = hexToBytes(`0x${code}`)
  return { address: toAddress(`0x${suffix.padStart(40, '0')}`), code: bytes, codeHash: keccakHash(bytes) }
}

function hexByte(value: number): string {
  return value.toString(16).padStart(2, '0')
}
