import type { Block } from '../../chain/block/block.ts'
import { MESSAGE_PASSER_ADDRESS } from '../../chain/constants.ts'
import { layer2RulesAt } from '../../chain/forks/layer2-rules.ts'
import { type L1Attributes, l1AttributesOf } from '../../chain/system-transactions/l1-attributes.ts'
import { isSimulated } from '../../chain/system-transactions/simulated-l1.ts'
import { type BlockReference, PENDING } from '../../node/view/block-reference.ts'
import type { BlockView } from '../../node/view/view.ts'
import type { Hash } from '../../primitives/hex.ts'
import { blockHeight } from '../codecs/block-reference.ts'
import { quantity } from '../codecs/quantity.ts'
import { text } from '../codecs/text.ts'
import type { Layer1 } from '../context/dependencies.ts'
import { type ReadContext, unknownBlock } from '../context/reading.ts'
import {
  formatOutput,
  formatRollupConfig,
  formatSafeHead,
  formatSyncStatus,
  originOf,
  type RollupSource,
  SIMULATED_L1,
} from '../format/rollup.ts'
import { RPC_CODES, RpcError } from '../protocol/errors.ts'
import type { JsonRecord } from '../protocol/json.ts'
import { defineMethod, requiredParam } from '../registry/method.ts'
import { OUTPUT_SCHEMA, ROLLUP_CONFIG_SCHEMA, SAFE_HEAD_SCHEMA, SYNC_STATUS_SCHEMA } from '../schemas/rollup-schemas.ts'

const ROLLUPS = ['op', 'denim'] as const

export const optimism_outputAtBlock = defineMethod({
  name: 'optimism_outputAtBlock',
  summary: 'The output root of a block, against which withdrawals are proven.',
  profiles: ROLLUPS,
  params: [requiredParam('block', blockHeight)],
  result: OUTPUT_SCHEMA,
  cost: 5,
  handle([reference], context) {
    const view = requireBlock(context, reference)
    return formatOutput(view.block, withdrawalRootOf(view, context), syncStatus(context))
  },
})

export const optimism_rollupConfig = defineMethod({
  name: 'optimism_rollupConfig',
  summary:
    'The configuration of the rollup. Addresses of contracts on layer 1 are zero, except the portal of --l1-portal.',
  profiles: ROLLUPS,
  params: [],
  result: ROLLUP_CONFIG_SCHEMA,
  cost: 5,
  handle(_, context) {
    const { config, blockTimeSeconds } = context
    const genesis = requireBlock(context, { kind: 'number', number: 0 }).block
    const attributes = l1AttributesOf(requireBlock(context, PENDING).block)
    const origin = firstRealOrigin(context)
    const format = (layer1: RollupSource['layer1']) =>
      formatRollupConfig({ config, genesis, layer1, attributes, blockTimeSeconds })
    if (context.layer1 !== undefined) return followedLayer1(context.layer1, origin).then(format)
    if (origin === undefined) return format(SIMULATED_L1)
    throw new RpcError(RPC_CODES.server, 'only the leader, with --l1-url, knows the layer 1 of this chain: ask it')
  },
})

export const optimism_syncStatus = defineMethod({
  name: 'optimism_syncStatus',
  summary: 'The newest blocks of layer 2 by tag, and the blocks of layer 1 to which they belong.',
  profiles: ROLLUPS,
  params: [],
  result: SYNC_STATUS_SCHEMA,
  cost: 5,
  isSameInView: true,
  handle: (_, context) => syncStatus(context),
})

export const optimism_safeHeadAtL1Block = defineMethod({
  name: 'optimism_safeHeadAtL1Block',
  summary: 'The newest safe block of layer 2 whose L1 origin is at or below a block of layer 1.',
  profiles: ROLLUPS,
  params: [requiredParam('l1BlockNumber', quantity)],
  result: SAFE_HEAD_SCHEMA,
  cost: 5,
  handle: ([l1BlockNumber], context) => formatSafeHead(safeHeadAt(l1BlockNumber, context)),
})

export const optimism_version = defineMethod({
  name: 'optimism_version',
  summary: 'Name and version of the node.',
  profiles: ROLLUPS,
  params: [],
  result: text.schema,
  cost: 1,
  handle: (_, { options }) => options.clientVersion,
})

/** @throws RpcError when layer 1 cannot be read */
async function followedLayer1(
  { portal, chainId }: Layer1,
  origin: L1Attributes | undefined,
): Promise<RollupSource['layer1']> {
  try {
    return { portal, chainId: await chainId(), origin }
  } catch (error) {
    throw new RpcError(RPC_CODES.server, `layer 1 cannot be read: ${(error as Error).message}`)
  }
}

/**
 * The first origin that is not simulated, which later ones follow: a new chain has simulated origins until layer 1 is
 * read. A copy of a chain that began with a snapshot has no earlier blocks than that.
 */
function firstRealOrigin({ view }: ReadContext): L1Attributes | undefined {
  const originOf = (number: number) => {
    const found = view.block({ kind: 'number', number })
    const origin = found && l1AttributesOf(found.block)
    return origin === undefined || isSimulated(origin) ? undefined : origin
  }
  let [simulated, real] = [0, view.head.sealed.latest]
  if (originOf(real) === undefined) return undefined
  while (real - simulated > 1) {
    const middle = Math.floor((simulated + real) / 2)
    if (originOf(middle) === undefined) simulated = middle
    else real = middle
  }
  return originOf(real)
}

/**
 * The newest safe block whose origin is not above one of layer 1. Origins never decrease from block to block.
 *
 * @throws RpcError where the chain began later
 */
function safeHeadAt(l1BlockNumber: bigint, { view }: ReadContext): Block {
  const blockAt = (number: number) => view.block({ kind: 'number', number })?.block
  const isAtOrBelow = (block: Block | undefined) => block === undefined || originOf(block).number <= l1BlockNumber
  let [found, above] = [-1, view.head.sealed.safe + 1]
  while (above - found > 1) {
    const middle = Math.floor((found + above) / 2)
    if (isAtOrBelow(blockAt(middle))) found = middle
    else above = middle
  }
  const safeHead = blockAt(found)
  if (safeHead !== undefined) return safeHead
  throw new RpcError(RPC_CODES.server, `no block has an L1 origin at or below ${l1BlockNumber}: safe head not found`)
}

function syncStatus(context: ReadContext): JsonRecord {
  const [latest, safe, finalized] = (['latest', 'safe', 'finalized'] as const).map(
    (tag) => requireBlock(context, { kind: 'tag', tag }).block,
  )
  return formatSyncStatus({ latest: latest!, safe: safe!, finalized: finalized! }, context.config)
}

function requireBlock({ view }: ReadContext, reference: BlockReference): BlockView {
  const found = view.block(reference)
  if (found === undefined) throw unknownBlock(view, reference)
  return found
}

/** The storage root of the message passer: in the header from Isthmus on, of its trie before. */
function withdrawalRootOf(found: BlockView, { view, config }: ReadContext): Hash {
  const { timestamp, withdrawalsRoot } = found.block.header
  if (layer2RulesAt(config, timestamp)?.hasMessagePasserRoot && withdrawalsRoot !== undefined) return withdrawalsRoot
  const trie = view.trieOf(found)
  if (trie !== undefined) return trie.storageRoot(MESSAGE_PASSER_ADDRESS)
  throw new RpcError(
    RPC_CODES.server,
    `the storage root of block ${found.block.header.number} is not kept: ask for one of the newest blocks`,
  )
}
