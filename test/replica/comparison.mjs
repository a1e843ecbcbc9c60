import { blockHeight, blockReference } from '../../dist/rpc/codecs/block-reference.js'
import { hash } from '../../dist/rpc/codecs/bytes.js'
import { logFilter } from '../../dist/rpc/codecs/log-filter.js'
import { RPC_METHODS } from '../../dist/rpc/methods/all-methods.js'
import { loadMethodExamples } from '../../dist/rpc/registry/open-rpc.js'
import { result } from '../crash/client.mjs'
import { blockRequests } from './block-requests.mjs'

const EXAMPLES = await loadMethodExamples()

/** A batch is served from one view, which these requests identify. `safe` depends on each node's own disk. */
const WHICH_VIEW = [
  ['eth_getBlockByNumber', ['pending', false]],
  ['eth_getBlockByNumber', ['latest', false]],
  ['eth_getBlockByNumber', ['safe', false]],
  ['eth_getBlockByNumber', ['finalized', false]],
  ['txpool_content', []],
]
const HEAD = [
  ['eth_getBlockByNumber', ['pending', true]],
  ['eth_getBlockReceipts', ['pending']],
  ['eth_getBlockByNumber', ['latest', true]],
  ['eth_getBlockReceipts', ['latest']],
]
const CONCURRENT_REQUESTS = 40

async function responsesOf(url, requests) {
  const batch = requests.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params }))
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(batch) })
  // Compares encoded responses byte by byte.
  const text = await response.text()
  return { text, responses: JSON.parse(text).map((response) => JSON.stringify(response)) }
}

/** Sends requests to both until their views are equal. @returns the requests with different responses */
async function differences(node, replica, { which, requests, deadline }) {
  const requested = [...which, ...requests]
  do {
    const [wanted, given] = await Promise.all([responsesOf(node, requested), responsesOf(replica, requested)])
    const isSameView = which.every((_, index) => wanted.responses[index] === given.responses[index])
    if (!isSameView) continue
    return requested.flatMap((request, index) =>
      wanted.responses[index] === given.responses[index]
        ? []
        : [`${JSON.stringify(request)}: ${wanted.responses[index]} but ${given.responses[index]}`],
    )
  } while (performance.now() < deadline)
  return undefined
}

/**
 * @returns milliseconds until a replica shows a head that the node announced after the call; `undefined` on timeout
 * @throws if the two show different content for the same head
 */
export async function timeUntilEqual(node, replica, limit) {
  const begun = performance.now()
  const deadline = begun + limit
  const head = await nextHead(node)
  // The partial hash still resolves after later flashblocks.
  while ((await result(replica, 'eth_getBlockByHash', head, false)) === null) {
    if (performance.now() > deadline) return undefined
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  const time = performance.now() - begun
  const found = await differences(node, replica, { which: WHICH_VIEW.slice(0, 2), requests: HEAD, deadline })
  if (found?.length > 0) throw new Error(found[0])
  return found === undefined ? undefined : time
}

/** A lost record shows with the next one. An empty flashblock does not change the hash. */
async function nextHead(node) {
  const pending = async () => (await result(node, 'eth_getBlockByNumber', 'pending', false)).hash
  const before = await pending()
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 5))
    const head = await pending()
    if (head !== before) return head
  }
}

/** Calls every method with a block parameter at tags, heights and hashes. @returns the number of calls */
export async function compareEverything(node, replica, random, limit) {
  const latest = Number(await result(node, 'eth_blockNumber'))
  const heights = [0, Math.floor(random() * latest), latest, latest + 1]
  const blocks = await Promise.all(
    heights.slice(1, 3).map((height) => result(node, 'eth_getBlockByNumber', `0x${height.toString(16)}`, false)),
  )
  const requests = blockRequests(
    { RPC_METHODS, EXAMPLES, blockHeight, blockReference, logFilter, hash },
    {
      heights,
      hashes: blocks.map((block) => block.hash),
      tags: ['earliest', 'finalized', 'safe', 'latest', 'pending'],
    },
  )
  const different = []
  let compared = 0
  for (let start = 0; start < requests.length; start += CONCURRENT_REQUESTS) {
    const some = requests.slice(start, start + CONCURRENT_REQUESTS)
    const deadline = performance.now() + limit
    const found = await differences(node, replica, { which: WHICH_VIEW, requests: some, deadline })
    if (found === undefined) different.push(`no common view for ${JSON.stringify(some[0])}`)
    else different.push(...found)
    compared += some.length
  }
  return { compared, different }
}
