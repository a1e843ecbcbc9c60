// Measured by bench/library.mjs in a process of its own: the time from createNode to the first answer, and the memory
// of nodes. Prints one line of JSON. Needs --expose-gc.
const WARM_NODES = 20
const OPEN_NODES = 20

const began = performance.now()
const { createNode } = await import('../../dist/bundle/index.js')
const importMs = performance.now() - began

/** @returns a node that has answered */
async function answeringNode() {
  const node = await createNode({ mining: 'auto' })
  await node.request({ method: 'eth_blockNumber' })
  return node
}

async function timed(work) {
  const start = performance.now()
  const result = await work()
  return { ms: performance.now() - start, result }
}

/** Resident memory after a garbage collection. */
async function residentBytes() {
  for (let round = 0; round < 3; round++) {
    globalThis.gc()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return process.memoryUsage.rss()
}

/** A node whose EVM, pool and store have worked. */
async function usedNode() {
  const node = await answeringNode()
  const [{ address: from }] = node.accounts
  for (let index = 0; index < 10; index++) {
    await node.request({ method: 'eth_sendTransaction', params: [{ from, to: from, value: '0x1' }] })
  }
  return node
}

const first = await timed(answeringNode)
await first.result.close()
const warm = []
for (let index = 0; index < WARM_NODES; index++) {
  const { ms, result } = await timed(answeringNode)
  warm.push(ms)
  await result.close()
}
const one = await usedNode()
const before = await residentBytes()
const others = []
for (let index = 0; index < OPEN_NODES; index++) others.push(await usedNode())
const bytesPerNode = ((await residentBytes()) - before) / OPEN_NODES
await Promise.all([one, ...others].map((node) => node.close()))
process.stdout.write(`${JSON.stringify({ importMs, firstMs: first.ms, warm, bytesPerNode })}\n`)
