import { MAX_BLOCKS_PER_REQUEST } from '../../../node/production/leader-development.ts'
import { bytesToHex } from '../../../primitives/hex.ts'
import { boolean } from '../../codecs/boolean.ts'
import { data } from '../../codecs/bytes.ts'
import { RPC_CODES, RpcError } from '../../protocol/errors.ts'
import { defineDevelopmentMethod } from '../../registry/development-method.ts'
import { optionalParam, requiredParam } from '../../registry/method.ts'
import { compressedState } from '../../state-files/dump-file.ts'
import { loadState, MAX_LOADED_BYTES } from '../../state-files/load.ts'
import { StateDumpError } from '../../state-files/state-dump-error.ts'

export const anvil_dumpState = defineDevelopmentMethod({
  name: 'anvil_dumpState',
  effect: 'none',
  aliases: ['hardhat_dumpState'],
  summary: 'The state and all blocks as JSON, compressed with gzip, which anvil_loadState takes.',
  params: [optionalParam('preserveHistoricalStates', boolean)],
  result: data.schema,
  cost: 2_000,
  async handle([keepsHistory], { context }) {
    if (keepsHistory === true) throw historyRefused()
    const { node, options, yieldIfDue } = context
    // Two characters per byte.
    const limit = options.maxResponseBytes / 2
    const dump = await compressedState(node, limit, async () => yieldIfDue())
    if (dump !== undefined) return bytesToHex(dump)
    throw new RpcError(
      RPC_CODES.responseTooLarge,
      `the dump is larger than ${limit} bytes: write it to a file with --dump-state`,
    )
  },
})

function historyRefused(): RpcError {
  return new RpcError(
    RPC_CODES.invalidParams,
    'a dump has no historical states: keep the whole chain with a data directory, tickertape backup or tickertape export',
  )
}

export const anvil_loadState = defineDevelopmentMethod({
  name: 'anvil_loadState',
  aliases: ['hardhat_loadState'],
  summary: 'Adds the accounts of a dump to the state, and mines blocks up to its height.',
  params: [requiredParam('state', data)],
  result: boolean.schema,
  cost: 2_000,
  async handle([dump], { context, development }) {
    try {
      const limits = { maxAhead: MAX_BLOCKS_PER_REQUEST, maxBytes: MAX_LOADED_BYTES }
      await loadState(() => once(Buffer.from(dump)), { node: context.node, development }, limits)
      return true
    } catch (error) {
      if (!(error instanceof StateDumpError)) throw error
      if (error.hasChanged) throw new RpcError(RPC_CODES.server, `Failed to load state dump: ${error.message}`)
      throw new RpcError(RPC_CODES.invalidParams, `Failed to decode state dump: ${error.message}`)
    }
  },
})

async function* once(buffer: Buffer): AsyncIterable<Buffer> {
  yield buffer
}
