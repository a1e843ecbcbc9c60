// Processor time per request of the HTTP server of the node and of `node:http`, both of which answer with a constant.
//   npm run bench -- http [--rounds 3] [--seconds 4]
// `node:http` is tuned: no timers, one write per response, a header array. The servers alternate.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer as createNodeServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { httpWire } from './support/http-wire.mjs'
import { runLoad } from './support/load.mjs'
import { printTable } from './support/statistics.mjs'

const REQUEST = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}'
const RESPONSE = '{"jsonrpc":"2.0","id":1,"result":"0x1234"}'
const CONNECTIONS = [1, 32]

async function serveOwn() {
  const { createServer } = await import('../dist/server/create-server.js')
  const rpc = { handle: (text) => (text === '' ? undefined : RESPONSE), connect: () => undefined }
  const rest = { handle: () => ({ status: 404, headers: {}, body: '' }) }
  return (await createServer({ host: '127.0.0.1', port: 0 }, { rpc, rest, log: console })).port
}

async function serveNode() {
  const timers = { requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0, connectionsCheckingInterval: 2 ** 30 }
  const headers = ['content-type', 'application/json', 'content-length', String(RESPONSE.length)]
  const server = createNodeServer({ noDelay: true, ...timers }, (request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => response.writeHead(text === '' ? 400 : 200, headers).end(RESPONSE))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return server.address().port
}

const SERVERS = { own: serveOwn, 'node:http': serveNode }

async function start(name) {
  const child = fork(fileURLToPath(import.meta.url), [name])
  const [port] = await once(child, 'message')
  return { name, child, port, pid: child.pid, times: new Map(CONNECTIONS.map((connections) => [connections, []])) }
}

async function compare() {
  const number = (value) => ({ type: 'string', default: value })
  const { values } = parseArgs({ args: process.argv.slice(3), options: { rounds: number('3'), seconds: number('4') } })
  const servers = await Promise.all(Object.keys(SERVERS).map(start))
  const message = httpWire.encode(REQUEST)
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const connections of CONNECTIONS) {
      for (const server of servers) {
        const options = { connections, pipeline: 1, warmUp: 1_000, milliseconds: Number(values.seconds) * 1_000 }
        const { cpu, responses } = await runLoad(server, httpWire, () => message, options)
        server.times.get(connections).push((cpu * 1_000) / responses)
      }
    }
  }
  const median = (times) => times.sort((a, b) => a - b)[times.length >> 1]
  const rows = servers.flatMap(({ name, times }) =>
    [...times].map(([connections, each]) => [
      name,
      connections,
      median(each).toFixed(1),
      each.map((time) => time.toFixed(1)).join(' '),
    ]),
  )
  printTable([['server', 'connections', 'µs per request, median', 'rounds'], ...rows])
  for (const { child } of servers) child.kill()
}

const served = process.send && SERVERS[process.argv[2]]
if (served) process.send(await served())
else await compare()
