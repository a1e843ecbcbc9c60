import type { BlockRequest, SimulationPayload } from '../../../engine/simulate/simulation.ts'
import { isJsonObject } from '../../protocol/json.ts'
import { boolean } from '../boolean.ts'
import { callObject } from '../call-object.ts'
import { type Codec, InvalidValueError, jsonObject, listOf } from '../codec.ts'
import { closedObject, objectOf } from '../object.ts'
import { blockOverrides, checkOverrides, stateOverrides } from '../overrides.ts'

/** Bounds parsing only; the engine reports the documented limits. */
export const MAX_SIMULATED_BLOCKS = 10_000
export const MAX_SIMULATED_CALLS = 100_000

/** The payload of `eth_simulateV1`. */
export interface SimulationRequest extends SimulationPayload {
  readonly returnFullTransactions: boolean
}

interface WireMembers {
  readonly blocks?: readonly BlockRequest[]
  readonly traceTransfers?: boolean
  readonly validation?: boolean
  readonly returnFullTransactions?: boolean
}

const blockRequest = closedObject(
  objectOf<BlockRequest>({ blockOverrides, stateOverrides, calls: listOf(callObject, MAX_SIMULATED_CALLS) }),
)

const members = closedObject(
  objectOf<WireMembers>(
    {
      blocks: listOf(blockRequest, MAX_SIMULATED_BLOCKS),
      traceTransfers: boolean,
      validation: boolean,
      returnFullTransactions: boolean,
    },
    { blocks: 'blockStateCalls' },
  ),
)

export const simulationPayload: Codec<SimulationRequest> = {
  checkSize(json, limits) {
    const blocks = isJsonObject(json) ? json.blockStateCalls : undefined
    if (!Array.isArray(blocks)) return
    checkOverrides(
      blocks.map((block) => (isJsonObject(block) ? block.stateOverrides : undefined)),
      limits,
    )
  },
  decode(json) {
    const { blocks, traceTransfers, validation, returnFullTransactions } = members.decode(jsonObject(json))
    if (blocks === undefined) throw new InvalidValueError('missing member blockStateCalls')
    return {
      blocks,
      traceTransfers: traceTransfers ?? false,
      validation: validation ?? false,
      returnFullTransactions: returnFullTransactions ?? false,
    }
  },
  encode: (request) => members.encode(request),
  schema: { ...members.schema, required: ['blockStateCalls'] },
}
