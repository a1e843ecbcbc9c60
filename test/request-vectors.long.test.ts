import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readResponses } from './support/http-exchange.ts'
import { type NodeProcess, spawnNode } from './support/node-processes.ts'
import { hasRequestVectors, requestVectors } from './support/request-vectors.ts'

const FLAGS = ['--ephemeral', '--log-level', 'silent']
const VALID = Buffer.from('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n')

let node: NodeProcess
let others: readonly { readonly name: string; readonly process: NodeProcess }[]

beforeAll(async () => {
  node = await spawnNode(FLAGS)
  others = [
    { name: 'RPC worker', process: await spawnNode([...FLAGS, '--rpc-workers', '1']) },
    { name: 'replica', process: await spawnNode([...FLAGS, '--from', `${node.ws}/replica`], undefined, 'replica') },
  ]
}, 120_000)
afterAll(async () => {
  for (const { process } of others) await process.stop()
  await node.stop()
})

/**
 * The statuses with which a node answers some bytes, sent in pieces, and whether it announces that it closes the
 * connection. The client then closes its side, so that the node ends the connection when it has answered everything.
 */
async function statuses({ rpc }: NodeProcess, pieces: readonly Buffer[]): Promise<string> {
  const { hostname: host, port } = new URL(rpc)
  const client = connect({ host, port: Number(port), noDelay: true, allowHalfOpen: true })
  for (const piece of pieces) client.write(piece)
  client.end()
  const text = (await buffer(client)).toString('latin1')
  const answers = readResponses(text).map(({ status }) => status)
  return [...answers, /\r\nconnection: close\r\n/i.test(text) ? 'closed' : 'open'].join(', ')
}

describe.runIf(hasRequestVectors())('HTTP request vectors', () => {
  test('an RPC worker and a replica answer with the statuses of a node', { timeout: 300_000 }, async () => {
    const different: string[] = []
    const outcomes = new Set<string>()
    for (const { source, bytes } of requestVectors()) {
      const byByte = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1))
      for (const pieces of [[bytes], byByte, [Buffer.concat([VALID, bytes])], [Buffer.concat([bytes, VALID])]]) {
        const expected = await statuses(node, pieces)
        outcomes.add(expected)
        for (const { name, process } of others) {
          const seen = await statuses(process, pieces)
          if (seen !== expected) different.push(`${source}, ${name}: ${seen} instead of ${expected}`)
        }
      }
    }

    expect(different).toEqual([])
    expect([...outcomes]).toEqual(expect.arrayContaining(['415, 200, open', '400, closed', '200, 400, closed']))
  })
})
