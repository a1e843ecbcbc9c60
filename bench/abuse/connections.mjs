// Attacks with many connections: unfinished requests, unread responses, long pipelines.
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { call, flood, hold, Responses, returningCall, writeForever } from './clients.mjs'

const MEBIBYTE = 2 ** 20
const HEAD = 'POST / HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n'

/** A call with 100 kB of data. */
function largeCall() {
  return call('eth_call', [{ to: `0x${'11'.repeat(20)}`, data: `0x${'00'.repeat(50_000)}` }, 'latest'])
}

function pipelines(connections) {
  return {
    id: `pipelines-${connections}`,
    title: `${connections} connections with 16 pipelined calls of 100 kB`,
    run(node) {
      const message = largeCall()
      return flood(node, () => message, { connections, pipeline: 16 })
    },
  }
}

export const CONNECTION_ATTACKS = [
  pipelines(900),
  pipelines(400),
  {
    id: 'half-bodies',
    title: '400 connections with 5 MB announced and 4 MB sent',
    run(node) {
      const part = Buffer.concat([
        Buffer.from(`${HEAD}content-length: ${5 * MEBIBYTE}\r\n\r\n`),
        Buffer.alloc(4 * MEBIBYTE, 0x20),
      ])
      return hold(node, (socket) => socket.write(part), { connections: 400 })
    },
  },
  {
    id: 'half-chunks',
    title: '400 connections with chunked bodies that do not end',
    run(node) {
      const part = Buffer.concat([
        Buffer.from(`${HEAD}transfer-encoding: chunked\r\n\r\n400000\r\n`),
        Buffer.alloc(4 * MEBIBYTE, 0x20),
      ])
      return hold(node, (socket) => socket.write(part), { connections: 400 })
    },
  },
  {
    id: 'half-heads',
    title: '1,900 connections with half a head',
    run: (node) => hold(node, (socket) => socket.write(HEAD.slice(0, -2)), { connections: 1_900 }),
  },
  {
    id: 'unread-answers',
    title: '200 connections that request 1 MB each and never read',
    run(node) {
      const message = call(...returningCall(1_000_000))
      return hold(node, (socket) => writeForever(socket, () => message), { connections: 200, reads: false })
    },
  },
  {
    id: 'churn',
    title: 'connections that send one request and leave',
    async run({ port, seconds }) {
      const responses = new Responses()
      const message = call('eth_blockNumber', [])
      const end = performance.now() + seconds * 1000
      const one = () =>
        new Promise((resolve) => {
          const socket = connect({ port, host: '127.0.0.1' })
          socket.on('connect', () => socket.write(message, () => socket.destroy()))
          socket.on('error', () => undefined)
          socket.on('close', resolve)
        })
      const client = async () => {
        while (performance.now() < end) {
          await one()
          responses.count('closed')
        }
      }
      await Promise.all(Array.from({ length: 64 }, client))
      await sleep(0)
      return responses.counts
    },
  },
]
