import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { blocksIn, ChainDirectories } from '../../../test/support/chain-directory.ts'
import { type ManualNode, startManualNode } from '../../../test/support/manual-node.ts'
import type { Genesis } from '../../chain/genesis/genesis.ts'
import { createNetwork, type NetworkOptions } from '../../chain/genesis/networks.ts'
import { FORKS_KEY } from '../../state/chain-store/encoding/metadata-keys.ts'
import { TABLE_NAMES } from '../../state/chain-store/encoding/tables.ts'
import { openLmdbStore } from '../../storage/lmdb/lmdb-store.ts'
import { WriteBatch } from '../../storage/write-batch.ts'
import { exportChain } from '../tools/export-chain.ts'
import { importChain } from '../tools/import-chain.ts'
import { verifyChain } from '../tools/verify-chain.ts'

const noStep = async () => {}
const directories = new ChainDirectories()
afterAll(() => directories.remove())

async function open(directory: string, network: NetworkOptions): Promise<ManualNode> {
  const manual = await startManualNode({ directory, network })
  onTestFinished(() => manual.node.stop())
  return manual
}

/** A directory with a block above block 0. */
async function chainOf(network: NetworkOptions): Promise<string> {
  const directory = directories.next()
  const { node, nextBlock } = await open(directory, network)
  await nextBlock()
  await node.stop()
  return directory
}

const PRAGUE: NetworkOptions = { fork: 'prague' }

/** Block 0 of Prague with Osaka at a time. */
function withOsaka(time: bigint): Genesis {
  const { genesis } = createNetwork(PRAGUE)
  const forkTimes = { ...genesis.config.forkTimes, osaka: time }
  return { ...genesis, config: { ...genesis.config, forkTimes } }
}

function refusal(flag: string) {
  return { code: 'OTHER_CHAIN', message: expect.stringContaining(flag) }
}

describe('a data directory', () => {
  test.each<readonly [made: NetworkOptions, given: NetworkOptions, flag: string]>([
    [{ upgrade: 'azul' }, { upgrade: 'jovian' }, '--hardfork azul'],
    [{ upgrade: 'beryl' }, { upgrade: 'cobalt' }, '--hardfork beryl'],
    [{ upgrade: 'fjord' }, { upgrade: 'granite' }, '--hardfork fjord'],
    [{ fork: 'prague' }, { fork: 'osaka' }, '--hardfork prague'],
  ])('made with %o is refused with %o, although block 0 is equal', async (made, given, flag) => {
    const directory = await chainOf(made)

    await expect(open(directory, given)).rejects.toMatchObject(refusal(flag))
    await (await open(directory, made)).node.stop()
  })

  test('accepts another activation after its newest block, and keeps it', async () => {
    const directory = await chainOf(PRAGUE)

    const { node } = await startManualNode({ directory, genesis: withOsaka(2n ** 40n) })
    await node.stop()

    await (await open(directory, PRAGUE)).node.stop()
  })

  test('refuses an activation in its open block, which continues after a restart', async () => {
    const directory = directories.next()
    const { node } = await open(directory, PRAGUE)
    const { timestamp } = node.view().head.pending.block.header
    await node.stop()

    await expect(startManualNode({ directory, genesis: withOsaka(timestamp) })).rejects.toMatchObject(refusal('osaka'))
    await (await startManualNode({ directory, genesis: withOsaka(timestamp + 1n) })).node.stop()
  })

  test('without a schedule, as earlier versions made it, takes that of the flags', async () => {
    const directory = await chainOf({ fork: 'prague' })
    const store = openLmdbStore({ path: directory, tables: TABLE_NAMES, sync: false })
    const batch = new WriteBatch<'metadata'>()
    batch.delete('metadata', FORKS_KEY)
    await store.commit(batch)
    await store.close()

    await (await open(directory, { fork: 'osaka' })).node.stop()

    await expect(open(directory, { fork: 'prague' })).rejects.toMatchObject(refusal('--hardfork osaka'))
  })

  test('made with other forks is refused by import and verification', async () => {
    const directory = await chainOf({ fork: 'prague' })
    const file = directories.next()
    await exportChain({ directory, genesis: createNetwork().genesis }, file, {}, noStep)
    const blocks = await blocksIn(file)
    const { genesis } = createNetwork({ fork: 'osaka' })

    async function* inTurn() {
      yield* blocks
    }
    await expect(importChain({ directory, genesis, history: 'all' }, inTurn(), noStep)).rejects.toMatchObject(
      refusal('--hardfork prague'),
    )
    await expect(verifyChain({ directory, genesis }, noStep)).rejects.toMatchObject(refusal('--hardfork prague'))
  })
})
