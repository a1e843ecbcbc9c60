import { simulate } from '../../engine/simulate/simulate.ts'
import type {
  BlockRequest,
  SimulatedBlock,
  SimulationBase,
  SimulationResult,
} from '../../engine/simulate/simulation.ts'
import { type BlockReference, LATEST } from '../../node/view/block-reference.ts'
import { mapPacked } from '../../primitives/map-packed.ts'
import { mapMaybe } from '../../primitives/maybe-promise.ts'
import { blockReference } from '../codecs/block-reference.ts'
import { simulationPayload } from '../codecs/simulation/simulation-payload.ts'
import { blockOfState, type ReadContext, requireBlockAndState, requireHeaderAndState } from '../context/reading.ts'
import { simulatedBlockJson, simulatedBlockJsonYielding } from '../format/simulated-block.ts'
import { EncodedJson, encodedArray } from '../protocol/encoded-json.ts'
import { simulationError } from '../protocol/errors.ts'
import { ResponseSize } from '../queries/response-size.ts'
import { defaultedParam, defineMethod, requiredParam } from '../registry/method.ts'
import { arrayOf, SIMULATED_BLOCK_SCHEMA } from '../schemas/schemas.ts'

export const eth_simulateV1 = defineMethod({
  name: 'eth_simulateV1',
  summary: 'Blocks of calls that could follow a block, `pending` included; each sees what those before it wrote.',
  params: [requiredParam('simulationPayload', simulationPayload), defaultedParam('block', blockReference, LATEST)],
  result: arrayOf(SIMULATED_BLOCK_SCHEMA),
  cost: 200,
  runsCode: true,
  handle([request, reference], context) {
    const { engine, blockTimeSeconds, options } = context
    const { blocks: requests, returnFullTransactions: fullTransactions } = request
    const { dialect } = options
    const size = new ResponseSize(context)
    const simulating = simulate(engine, simulationBase(reference, context), request, {
      blockTimeSeconds: BigInt(Math.ceil(blockTimeSeconds)),
      gasCap: options.callGasCap,
      maxBlocks: options.maxSimulatedBlocks,
      maxCallsPerBlock: options.maxSimulatedBlockCalls,
      maxCalls: options.maxSimulatedCalls,
      mayContinue: context.mayContinue,
      onExecuted: (executed) => size.addExecuted(executed),
      stateRoots: dialect === 'base' ? 'zero' : 'real',
      logIndexes: dialect === 'base' ? 'contiguous' : 'emitted',
    })
    const end = (result: SimulationResult) => {
      if (result.kind === 'failed') throw simulationError(result.error, dialect)
      const blocks = dialect === 'base' ? requestedBlocks(result.blocks, requests) : result.blocks
      const written = { fullTransactions, dialect }
      if (size.isLarge)
        return inTimeSlices(blocks, (block) => simulatedBlockJsonYielding(block, written, context.yieldIfDue))
      return encodedArray(mapPacked(blocks, (block) => simulatedBlockJson(block, written)))
    }
    return mapMaybe(simulating, end)
  },
})

async function inTimeSlices(
  blocks: readonly SimulatedBlock[],
  write: (block: SimulatedBlock) => Promise<string>,
): Promise<EncodedJson> {
  let text = ''
  for (const block of blocks) text += text === '' ? await write(block) : `,${await write(block)}`
  return new EncodedJson(`[${text}]`)
}

/** One block per entry of the request. In dialect `ethereum` also the empty blocks that fill gaps between numbers. */
function requestedBlocks(
  blocks: readonly SimulatedBlock[],
  requests: readonly BlockRequest[],
): readonly SimulatedBlock[] {
  const [first] = blocks
  // There were no gaps.
  if (first === undefined || blocks.length === requests.length) return blocks
  let number = first.header.number - 1
  const wanted = new Set(requests.map(({ blockOverrides }) => (number = blockOverrides?.number ?? number + 1)))
  return blocks.filter(({ header }) => wanted.has(header.number))
}

function simulationBase(given: BlockReference, context: ReadContext): SimulationBase {
  const reference = blockOfState(context, given)
  if (context.options.dialect === 'base') {
    const { header, state } = requireHeaderAndState(context, reference)
    return { header, hash: context.view.blockHash(reference)!, state }
  }
  const { block, state } = requireBlockAndState(context, reference)
  const trie = context.view.trieOf(block)
  return { header: block.block.header, hash: block.block.hash, state, ...(trie && { trie }) }
}
