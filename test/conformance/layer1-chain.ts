import type { Block } from '../../src/chain/block.ts'
import { readBlock } from '../../src/chain/block-codec.ts'
import { blockReward } from '../../src/chain/block-reward.ts'
import { BEACON_ROOTS_ADDRESS, HISTORY_STORAGE_ADDRESS } from '../../src/chain/constants.ts'
import { forkAt } from '../../src/chain/fork-schedule.ts'
import { isActive } from '../../src/chain/forks.ts'
import { genesisHeader } from '../../src/chain/genesis-block.ts'
import { parseGenesis } from '../../src/chain/genesis-codec.ts'
import { hashHeader } from '../../src/chain/header-codec.ts'
import { blockEnv } from '../../src/engine/block-env.ts'
import { createEngine } from '../../src/engine/create-engine.ts'
import { requestsHash } from '../../src/engine/simulate/requests.ts'
import type { SimulationBase } from '../../src/engine/simulate/simulation.ts'
import type { Engine, Session } from '../../src/engine/types.ts'
import { type Address, EMPTY_BYTES, type Hash, hexToBytes, ZERO_HASH } from '../../src/primitives/hex.ts'
import { EMPTY_CODE_HASH } from '../../src/primitives/keccak.ts'
import { decodeRlpSequence } from '../../src/primitives/rlp.ts'
import { mergeDiffs } from '../../src/state/diff.ts'
import { genesisDiff } from '../../src/state/genesis-state.ts'
import { layerReader } from '../../src/state/layered-reader.ts'
import type { AccountChange } from '../../src/state/state-diff.ts'
import type { StateReader } from '../../src/state/state-reader.ts'
import { createStateTrie } from '../../src/state/trie/state-trie.ts'
import { conformanceBytes, conformanceJson } from '../support/conformance-data.ts'

const GWEI = 10n ** 9n
const NOTHING: StateReader = {
  account: () => undefined,
  storage: () => 0n,
  code: () => EMPTY_BYTES,
  blockHash: () => ZERO_HASH,
}

export interface Layer1Chain {
  readonly engine: Engine
  /** Every block by number, with the state after it. */
  readonly blocks: readonly Required<SimulationBase>[]
}

/**
 * The chain of ethereum/execution-apis, executed from its genesis.
 *
 * @throws Error when the state after a block is not what its header says
 */
export async function importLayer1Chain(): Promise<Layer1Chain> {
  const genesis = parseGenesis(conformanceJson('execution-apis/genesis.json'))
  const engine = createEngine({ config: genesis.config })
  let diff = genesisDiff(genesis.alloc)
  let trie = createStateTrie().apply(diff)
  const header = genesisHeader(genesis, trie.root)
  const hashes = new Map<number, Hash>()
  const blocks: Required<SimulationBase>[] = []
  const add = (block: Pick<Block, 'header' | 'hash'>) => {
    if (trie.root !== block.header.stateRoot) throw new Error(`state root of block ${block.header.number} differs`)
    hashes.set(block.header.number, block.hash)
    blocks.push({ ...block, state: layerReader(NOTHING, [{ diff }], new Map(hashes)), trie })
  }
  add({ header, hash: hashHeader(header) })
  for (const { item, raw } of decodeRlpSequence(conformanceBytes('execution-apis/chain.rlp'))) {
    const block = readBlock(item, raw.length)
    if (block.header.number === 0) continue
    const session = engine.open(blockEnv(block.header, engine.config), blocks.at(-1)!.state)
    await executeBlock(session, block, engine)
    const written = session.takeDiff()
    session.close()
    diff = mergeDiffs([diff, written])
    trie = trie.apply(written)
    add(block)
  }
  return { engine, blocks }
}

async function executeBlock(session: Session, block: Block, engine: Engine): Promise<void> {
  const { header } = block
  const fork = forkAt(engine.config, header.number, header.timestamp)
  if (isActive(fork, 'cancun')) {
    await session.systemCall(BEACON_ROOTS_ADDRESS, hexToBytes(header.parentBeaconBlockRoot!))
  }
  if (isActive(fork, 'prague')) await session.systemCall(HISTORY_STORAGE_ADDRESS, hexToBytes(header.parentHash))
  let remaining = header.gasLimit
  for (const transaction of block.transactions) {
    const result = await session.execute(transaction, remaining)
    if (result.kind === 'invalid') throw new Error(`block ${header.number}: ${result.error.code}`)
    remaining -= BigInt(result.gasUsed)
  }
  for (const { address, amount } of block.withdrawals ?? []) credit(session, address, amount * GWEI)
  await requestsHash(session, session.env, engine.config)
  if (!isActive(fork, 'paris')) payRewards(session, block, blockReward(fork))
}

function payRewards(session: Session, { header, uncles }: Block, reward: bigint): void {
  for (const uncle of uncles) credit(session, uncle.miner, (reward * BigInt(8 - (header.number - uncle.number))) / 8n)
  credit(session, header.miner, reward + (reward / 32n) * BigInt(uncles.length))
}

function credit(session: Session, address: Address, wei: bigint): void {
  if (wei === 0n) return
  const before = session.state.account(address) ?? { nonce: 0n, balance: 0n, codeHash: EMPTY_CODE_HASH }
  const change: AccountChange = { account: { ...before, balance: before.balance + wei }, storageCleared: false }
  session.apply({ accounts: new Map([[address, change]]), storage: new Map(), code: new Map() })
}
