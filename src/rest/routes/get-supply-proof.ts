import { type Address, toAddress } from '../../primitives/hex.ts'
import { token } from '../http/list-parameters.ts'
import { sealedBlock } from '../http/parameter.ts'
import { ADDRESS_PATTERN } from '../http/schema.ts'
import { badQuery, StatusError } from '../http/status.ts'
import {
  EXAMPLE_SUPPLY_PROOF,
  type ProvenSupply,
  SUPPLY_PROOF_SCHEMA,
  supplyProof,
} from '../supply-proof/supply-proof.ts'
import { type BlockReads, readAt, type SourceBlock } from '../tokenized-stocks/chain-source.ts'
import { refusedRead } from '../tokenized-stocks/function-reads.ts'
import type { Registry } from '../tokenized-stocks/registry.ts'
import { readSupplyAndMultiplier } from '../tokenized-stocks/token-reads.ts'
import { atBlock, listRepresentation, type RestContext, tokenAt } from './rest-context.ts'
import { defineRoute } from './route.ts'

export const getSupplyProof = defineRoute({
  path: '/v1/tokenized-stocks/{token}/supply-proof',
  operationId: 'getSupplyProof',
  tag: 'Tokenized Stocks',
  summary: 'Supply of a token with its proof',
  description:
    'The supply of any ERC-20 at a sealed block, with the header and Merkle proofs of everything that `totalSupply()`, `decimals()` and `multiplier()` read. `tickertape verify-supply` and `verifySupply` of the library recompute it from the hash of the block alone.',
  parameters: [token, sealedBlock],
  response: {
    description: 'The supply and its proof.',
    contentType: 'application/json',
    schema: SUPPLY_PROOF_SCHEMA,
    example: EXAMPLE_SUPPLY_PROOF,
  },
  errors: {
    invalidArgument:
      'The block is `pending`, which has no final state root; several tokens have this symbol or ISIN; or a parameter is malformed.',
    failedPrecondition:
      'The contract refuses a call, or reads the hash of an earlier block; or the service is a stand-alone one, which has no proofs, or on a fork, which has none below its fork block.',
    notFound: 'No such token in this block, no such block, or a block older than `--proof-window`.',
  },
  isCachedByBlock: true,
  handle([name, reference], context) {
    const registry = context.registry()
    return atBlock(context, reference, async (at) => {
      if (at.status === 'open') {
        throw badQuery('block', 'the open block has no final state root: name a sealed block, such as latest')
      }
      if (at.prove === undefined) throw new StatusError('failedPrecondition', NO_PROOFS)
      // Begins in the same step as the proof, so that both read the same view.
      const addressed = addressOf(name, at, context, registry)
      const [address, proven] = await Promise.all([
        addressed,
        at.prove(async (reads) => provableSupply(reads, await addressed)),
      ])
      return listRepresentation(supplyProof(address, proven), registry, at)
    })
  },
})

const NO_PROOFS = 'this service reads its chain from another node and has no proofs: ask a Tickertape node'

/** An address names any token; the proof shows whether it is one. */
async function addressOf(name: string, at: SourceBlock, context: RestContext, registry: Registry): Promise<Address> {
  if (new RegExp(ADDRESS_PATTERN).test(name)) return toAddress(name)
  return readAt(at, async (reads) => (await tokenAt(context, registry, { at, reads }, name)).address)
}

async function provableSupply(reads: BlockReads, token: Address): Promise<ProvenSupply> {
  const supply = await readSupplyAndMultiplier(reads, token)
  if (supply.kind === 'token') return supply
  if (supply.kind === 'refused') throw refusedRead(supply)
  throw new StatusError('notFound', `no token at ${token}: no code, or it lacks totalSupply or decimals`)
}
