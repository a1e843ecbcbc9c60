import { chainForkOf } from '../../../node/roles/node-handle.ts'
import { toQuantity } from '../../../primitives/quantity.ts'
import { httpAddress } from '../../codecs/text.ts'
import type { Json } from '../../protocol/json.ts'
import { defineDevelopmentMethod, SETTER_RESULT } from '../../registry/development-method.ts'
import { requiredParam } from '../../registry/method.ts'

export const tickertape_forkStatus = defineDevelopmentMethod({
  name: 'tickertape_forkStatus',
  effect: 'none',
  summary: 'The fork block, the forked nodes without keys, what is verified, and state roots; null without a fork.',
  params: [],
  result: {},
  cost: 2,
  handle(_, { context }): Json {
    const status = chainForkOf(context.node)?.status
    if (status === undefined) return null
    const { chainId, number, hash, upstream, access, hasProofs, areRootsExact } = status
    const { rules, verification, requests, calls, retries, cacheBytes, cacheHits, cacheMisses } = status
    return {
      chainId: toQuantity(chainId),
      blockNumber: toQuantity(number),
      blockHash: hash,
      upstream: upstream ?? null,
      access,
      stateRoots: hasProofs ? 'proven' : 'changesOnly',
      areRootsExact,
      rules: rules === undefined ? null : { ...rules, missing: rules.missing ?? null },
      verification: { ...verification, foreign: { ...verification.foreign } },
      requests,
      calls,
      retries,
      cacheBytes,
      cacheHits,
      cacheMisses,
    }
  },
})

export const anvil_setRpcUrl = defineDevelopmentMethod({
  name: 'anvil_setRpcUrl',
  summary: 'Reads the forked chain from another node from now on, which must have the same fork block.',
  params: [requiredParam('url', httpAddress)],
  result: SETTER_RESULT,
  cost: 20,
  async handle([url], { conventions, context }) {
    await chainForkOf(context.node)?.setUrls([url])
    return conventions.control.setterResult
  },
})
