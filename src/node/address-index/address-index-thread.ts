// Entry point of the thread that indexes addresses; `start-address-index.ts` starts it.
import { setImmediate } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { createEngine } from '../../engine/session/create-engine.ts'
import { AddressIndex } from '../../state/address-index/address-index.ts'
import { ChainStore } from '../../state/chain-store/chain-store.ts'
import { openChainDatabase } from '../../state/chain-store/open-chain-database.ts'
import { buildGenesis } from '../core/genesis-chain.ts'
import { AddressIndexer } from './address-indexer.ts'
import type { AddressIndexData } from './start-address-index.ts'

const CACHE_BYTES = 2 ** 20
/** Milliseconds between looks for new blocks. */
const INTERVAL_MS = 250

const { directory, genesis } = workerData as AddressIndexData
const identity = { chainId: genesis.config.chainId, genesisHash: buildGenesis(genesis).block.hash }
const store = await openChainDatabase({ path: directory, identity, readOnly: true })
const chain = new ChainStore({ history: 'all', cacheBytes: CACHE_BYTES }, { store })
const index = AddressIndex.open(directory, { readOnly: false })
const indexer = new AddressIndexer({
  index,
  engine: createEngine({ config: genesis.config }),
  snapshot: () => chain.snapshot(),
  yieldTurn: setImmediate,
})
parentPort!.postMessage('open')

let running: Promise<unknown> | undefined
let timer: NodeJS.Timeout | undefined
parentPort!.on('message', async () => {
  clearInterval(timer)
  indexer.stop()
  await running
  await index.close()
  await store.close()
  parentPort!.close()
})
timer = setInterval(() => {
  // A failed block is tried again: the chain may have replaced it.
  running ??= indexer
    .catchUp()
    .catch((error: unknown) => parentPort!.postMessage(error))
    .finally(() => {
      running = undefined
    })
}, INTERVAL_MS)
