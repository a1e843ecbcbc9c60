import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Genesis } from '../../chain/genesis/genesis.ts'
import { AddressIndex } from '../../state/address-index/address-index.ts'

export interface AddressIndexData {
  /** The data directory that this process has open. */
  readonly directory: string
  readonly genesis: Genesis
}

/** Opens the index of a data directory for reading. @throws StorageError when there is none */
export function openAddressIndex(directory: string): AddressIndex {
  return AddressIndex.open(directory, { readOnly: true })
}

/**
 * Indexes the addresses of all sealed blocks in a thread of its own, so that building and storing blocks costs nothing
 * more.
 *
 * @param onFailure called when a block cannot be indexed, and when the thread fails
 * @returns stops the thread
 */
export async function startAddressIndex(
  data: AddressIndexData,
  onFailure: (error: unknown) => void,
): Promise<() => Promise<void>> {
  const worker = new Worker(new URL('./address-index-thread.js', import.meta.url), {
    name: 'address index',
    workerData: data,
  })
  await once(worker, 'message')
  worker.unref()
  worker.on('message', onFailure)
  worker.on('error', onFailure)
  const ended = once(worker, 'exit')
  return async () => {
    worker.ref()
    worker.postMessage('stop')
    await ended
  }
}
