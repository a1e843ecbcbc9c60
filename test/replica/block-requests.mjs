/** Methods whose result differs by node or by call. */
const NOT_COMPARED = new Set(['debug_setHead', 'eth_newFilter', 'eth_subscribe', 'testing_buildBlockV1'])

/**
 * Requests for every method that takes a block, for every block that `facts` names.
 *
 * @param rpc RPC_METHODS, their examples, and the codecs, which show how a parameter refers to a block
 * @param facts heights, hashes and tags
 */
export function blockRequests(rpc, { heights, hashes, tags }) {
  const byHeight = [...tags, ...heights.map((height) => `0x${height.toString(16)}`)]
  return rpc.RPC_METHODS.filter(({ name }) => !NOT_COMPARED.has(name)).flatMap((method) =>
    method.params.flatMap((parameter, position) => {
      const blocks = namesOf(rpc, parameter, { byHeight, hashes })
      return blocks.map((block) => [method.name, paramsOf(rpc.EXAMPLES, method, position, block, hashes.at(-1))])
    }),
  )
}

function namesOf(rpc, { codec, name }, { byHeight, hashes }) {
  if (codec === rpc.blockHeight) return byHeight
  if (codec === rpc.blockReference) return [...byHeight, ...hashes, ...hashes.map((blockHash) => ({ blockHash }))]
  if (codec === rpc.logFilter) {
    return [
      ...byHeight.map((block) => ({ fromBlock: block, toBlock: block })),
      ...hashes.map((blockHash) => ({ blockHash })),
    ]
  }
  return codec === rpc.hash && /block/i.test(name) ? hashes : []
}

function paramsOf(examples, { name, development, params }, position, block, hash) {
  const [exampleHash] = examples.eth_getBlockByHash.params
  const example = examples[development?.aliasOf ?? name]
  const given = JSON.parse(JSON.stringify(example.params).replaceAll(exampleHash, hash))
  const needed = params.filter(({ required }) => required).length
  const values = given.slice(0, Math.max(position, needed))
  values[position] = block
  return values
}
