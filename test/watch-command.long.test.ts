import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { type CompiledProgram, compileProgram, type StartedProgram } from './support/compiled-program.ts'

const ACCOUNT = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'

let program: CompiledProgram
let node: StartedProgram
let children: ChildProcess[] = []

beforeAll(async () => {
  program = await compileProgram()
  node = await program.start('--ephemeral')
})
afterEach(() => {
  for (const child of children) child.kill('SIGKILL')
  children = []
})
afterAll(async () => {
  await node.stop()
  program.remove()
})

interface WatchedEvent {
  readonly event: string
  readonly block?: number
  readonly [member: string]: unknown
}

/** A running `tickertape watch` whose lines are read one by one. */
function startWatch(...parameters: readonly string[]) {
  const child = spawn(process.execPath, [program.main, 'watch', ...parameters], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  /** The next line that fits. */
  const lineWith = async (fits: (line: string) => boolean): Promise<string> => {
    for (;;) {
      const { value, done } = await lines.next()
      if (done) throw new Error('tickertape watch ended')
      if (fits(value)) return value
    }
  }
  const eventOf = async (kind: string): Promise<WatchedEvent> =>
    JSON.parse(await lineWith((line) => JSON.parse(line).event === kind))
  return { child, lineWith, eventOf, exited: once(child, 'exit') as Promise<[code: number | null]> }
}

async function request(url: string, method: string, params: readonly unknown[] = []): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return ((await response.json()) as { result: unknown }).result
}

describe('tickertape watch', () => {
  test('prints flashblocks and blocks as JSON, equal to those of the node, until the wanted number', async () => {
    const { status, output, errors } = await program.run('watch', node.url, '--json', '--blocks', '2')
    expect([status, errors]).toEqual([0, ''])
    const events = output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as WatchedEvent)
    expect(events[0]).toMatchObject({ event: 'connected', url: node.url, chainId: 31_337 })
    const blocks = events.filter(({ event }) => event === 'block')
    expect(blocks).toHaveLength(2)
    for (const { block, hash } of blocks) {
      expect(await request(node.url, 'eth_getBlockByNumber', [`0x${block!.toString(16)}`, false])).toMatchObject({
        hash,
      })
    }
    const last = blocks[1]!
    const slots = events.filter(({ event, block }) => event === 'flashblock' && block === last.block)
    expect(slots.map(({ index }) => index)).toEqual(
      Array.from({ length: Number(last.flashblocks) }, (_, index) => index),
    )
    expect(last.isPartial).toBe(false)
  })

  test('prints the flashblocks of sent transactions within 400 ms, by the median of five', async () => {
    const { eventOf, lineWith } = startWatch(node.url, '--json')
    await eventOf('flashblock')
    const call = { from: ACCOUNT, to: ACCOUNT, value: '0x1' }
    const times: number[] = []
    while (times.length < 5) {
      const sentAt = performance.timeOrigin + performance.now()
      await request(node.url, 'eth_sendTransaction', [call])
      const line = await lineWith((each) => each.includes('"event":"flashblock"') && each.includes('"transactions":1'))
      times.push((JSON.parse(line) as { at: number }).at - sentAt)
    }
    expect(times.toSorted((a, b) => a - b)[2]).toBeLessThan(400)
    expect(await eventOf('block')).toMatchObject({ sentToVisibleP50Ms: expect.any(Number) })
  })

  test('prints a line per block where standard output is no terminal, and ends at SIGTERM', async () => {
    const { child, lineWith, exited } = startWatch(node.url)
    const connected = await lineWith(() => true)
    expect(connected).toMatch(
      /^\d{4}-\d\d-\d\dT[\d:.]+Z connected to http:\/\/127\.0\.0\.1:\d+: chain 31337, Tickertape/,
    )
    // A block that ends at once is printed before the pool has been read.
    expect(await lineWith((line) => line.includes('pool'))).toMatch(
      /Z block \d+ 0x\w{6}…\w{6} · \d+ flashblocks.* · pool 0 pending, 0 queued$/,
    )
    child.kill('SIGTERM')
    expect((await exited)[0]).toBe(0)
  })

  test('ends with 0 when the reader of its output is gone', async () => {
    const { child, lineWith, exited } = startWatch(node.url, '--json')
    await lineWith(() => true)
    child.stdout!.destroy()
    expect((await exited)[0]).toBe(0)
  })

  test('shows whole blocks of a chain without flashblocks, and says so', async () => {
    const denim = await program.start('--ephemeral', '--profile', 'denim')
    const { status, output } = await program.run('watch', denim.url, '--blocks', '4')
    await denim.stop()
    expect(status).toBe(0)
    const [, note, ...blocks] = output.trim().split('\n')
    expect(note).toContain('the node announces no flashblocks: blocks appear when they are sealed')
    const numbers = blocks.map((line) => Number(/block ([\d,]+) /.exec(line)![1]!.replaceAll(',', '')))
    expect(numbers).toEqual([0, 1, 2, 3].map((offset) => numbers[0]! + offset))
    expect(blocks.join()).not.toContain('flashblocks')
  })

  test('connects again by itself when the node is back', async () => {
    const first = await program.start('--ephemeral')
    const port = new URL(first.url).port
    const { eventOf } = startWatch(first.url, '--json')
    await eventOf('block')
    await first.stop()
    await eventOf('disconnected')
    const second = await program.start('--ephemeral', '--port', port, '--chain-id', '4242')
    expect(await eventOf('connected')).toMatchObject({ chainId: 4_242 })
    await eventOf('flashblock')
    await second.stop()
  })

  test.each([
    [['http://me:secret@127.0.0.1:2/key', '--connect-timeout', '300']],
    [['http://me:secret@127.0.0.1:2/key']],
    [['--rpc-url', 'http://me:secret@127.0.0.1:2/key']],
  ])('ends with 1 and advice when the connection is refused: watch %j', async (parameters) => {
    const { status, output, errors } = await program.run('watch', ...parameters)
    expect([status, output]).toEqual([1, ''])
    expect(errors).toBe(
      'tickertape: no node at http://127.0.0.1:2/… (it refuses the connection): start one with `npm start`, or name another: tickertape watch URL\n',
    )
  })

  test.each([
    [['ftp://a.example'], 'the address of a node is required'],
    [['--blocks', '0'], 'a whole number from 1'],
    [['--ws-url', 'http://a.example'], 'begins with ws:// or wss://'],
    [['--nonsense'], "unknown option '--nonsense'"],
  ])('ends with 2 for %j', async (parameters, message) => {
    const { status, errors } = await program.run('watch', ...parameters)
    expect(status).toBe(2)
    expect(errors).toContain(message)
  })

  test('follows a node without WebSocket, and prints no escape sequence of it', async () => {
    const HOSTILE = '\u001b[2J\u001b]0;hacked\u0007\u009b31m'
    let height = 0
    const server = createServer(async (incoming, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of incoming) chunks.push(chunk as Buffer)
      // An attempt to open a WebSocket has no body.
      if (chunks.length === 0) return void response.writeHead(404).end()
      type Request = { readonly id: number; readonly method: string; readonly params: readonly unknown[] }
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Request[] | Request
      const respond = ({ id, method, params }: Request) => {
        if (method === 'eth_chainId') return { id, result: '0x1' }
        if (method === 'web3_clientVersion') return { id, result: HOSTILE }
        if (method !== 'eth_getBlockByNumber') return { id, error: { code: -32601, message: HOSTILE } }
        const isPast = String(params[0]).startsWith('0x')
        if (!isPast) height += 1
        const number = isPast ? Number(params[0]) : height
        return {
          id,
          result: {
            number: `0x${number.toString(16)}`,
            // A hash of another form does not count as a block.
            hash: number === 1 ? HOSTILE : `0x${number.toString(16).padStart(64, '0')}`,
            gasUsed: '0x0',
            transactions: [{ hash: HOSTILE }],
          },
        }
      }
      response.end(JSON.stringify(Array.isArray(body) ? body.map(respond) : respond(body)))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

    const lines = await program.run('watch', url, '--blocks', '2')
    const json = await program.run('watch', url, '--json', '--blocks', '1')
    server.closeAllConnections()
    server.close()

    expect([lines.status, json.status]).toEqual([0, 0])
    expect(lines.output).toMatch(/block 2 .*\n.*block 3 /)
    expect(lines.output.replaceAll('\n', '') + json.output.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
    expect(JSON.parse(json.output.split('\n')[0]!).clientVersion).toBe(HOSTILE)
  })

  test('stays small when a node sends messages that are larger than any block', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
    await once(server, 'listening')
    const closed = new Promise<number>((resolve) => {
      server.on('connection', (socket) => {
        socket.on('close', resolve)
        socket.send(Buffer.alloc(65 << 20, 0x20), { binary: false })
      })
    })
    const ws = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { child } = startWatch(node.url, '--ws-url', ws, '--json')
    // 1009: a message that is too big (RFC 6455, section 7.4.1).
    expect(await closed).toBe(1009)
    child.kill('SIGKILL')
    for (const client of server.clients) client.terminate()
    server.close()
  })
})
