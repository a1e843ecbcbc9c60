import { type Verification, verifyChain } from '../../../src/node/tools/verify-chain.ts'
import { StorageError } from '../../../src/storage/storage-error.ts'
import { smallGenesis } from './genesis.ts'

/**
 * Verifies the disk of this process as `tickertape verify` does.
 *
 * @returns `undefined` for the chain of a replica that began with a snapshot, which has no blocks to begin with
 */
export async function verifyDisk(): Promise<Verification | undefined> {
  try {
    return await verifyChain({ directory: '/data', genesis: smallGenesis() }, async () => undefined)
  } catch (error) {
    if (error instanceof StorageError && error.code === 'PARTIAL_CHAIN') return undefined
    throw error
  }
}
