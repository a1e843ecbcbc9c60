// Attacks over WebSocket. Frames are written by hand, so that they can be incomplete.
import { hold, returningCall, writeForever } from './clients.mjs'

const MEBIBYTE = 2 ** 20
const TEXT = 0x1
const CONTINUATION = 0x0
const PING = 0x9
const FINAL = 0x80

/** A frame with a zero mask (RFC 6455, section 5.3), which changes nothing. */
function frame(opcode, payload, declared = payload.length) {
  const head = Buffer.alloc(declared < 126 ? 6 : declared < 65_536 ? 8 : 14)
  head[0] = opcode
  if (declared < 126) head[1] = 0x80 | declared
  else if (declared < 65_536) {
    head[1] = 0x80 | 126
    head.writeUInt16BE(declared, 2)
  } else {
    head[1] = 0x80 | 127
    head.writeBigUInt64BE(BigInt(declared), 2)
  }
  return Buffer.concat([head, payload])
}

function upgrade(path) {
  return `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`
}

/** Upgrades each connection and then runs `begin`. */
function holdSockets(node, begin, { path = '/', ...options }) {
  const upgraded = (socket) => {
    socket.once('data', () => begin(socket))
    socket.write(upgrade(path))
  }
  return hold(node, upgraded, options)
}

function request(method, params) {
  return frame(FINAL | TEXT, Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })))
}

const JUNK = Buffer.from(Array.from({ length: 1_000 }, (_, index) => (index * 89) % 256))
const PINGS = Buffer.concat(Array.from({ length: 1_000 }, () => frame(FINAL | PING, Buffer.alloc(100))))
const FRAGMENTS = Buffer.concat(Array.from({ length: 1_000 }, () => frame(CONTINUATION, Buffer.from('x'))))

export const WEB_SOCKET_ATTACKS = [
  {
    id: 'ws-half-messages',
    title: '400 WebSockets with 5 MB announced and 4 MB sent',
    run: (node) =>
      holdSockets(node, (socket) => socket.write(frame(FINAL | TEXT, Buffer.alloc(4 * MEBIBYTE, 0x20), 5 * MEBIBYTE)), {
        connections: 400,
      }),
  },
  {
    id: 'ws-fragments',
    title: '100 WebSockets that send fragments of one byte',
    run: (node) =>
      holdSockets(
        node,
        (socket) => {
          socket.write(frame(TEXT, Buffer.from(' ')))
          writeForever(socket, () => FRAGMENTS)
        },
        { connections: 100 },
      ),
  },
  {
    id: 'ws-pings',
    title: '100 WebSockets that send pings without pause',
    run: (node) => holdSockets(node, (socket) => writeForever(socket, () => PINGS), { connections: 100 }),
  },
  {
    id: 'ws-unread-pongs',
    title: '100 WebSockets that send pings and never read',
    run: (node) =>
      holdSockets(
        node,
        (socket) => {
          socket.pause()
          writeForever(socket, () => PINGS)
        },
        { connections: 100 },
      ),
  },
  {
    id: 'ws-subscriptions',
    title: '10,000 subscriptions of 100 WebSockets, never read',
    run: (node) =>
      holdSockets(
        node,
        (socket) => {
          const kinds = [['newFlashblocks'], ['newHeads'], ['logs', {}], ['newPendingTransactions', true]]
          for (let index = 0; index < 100; index++) socket.write(request('eth_subscribe', kinds[index % kinds.length]))
          socket.pause()
        },
        { connections: 100 },
      ),
  },
  {
    id: 'ws-unread-answers',
    title: '200 WebSockets that request 1 MB 64 times and never read',
    run: (node) =>
      holdSockets(
        node,
        (socket) => {
          const requests = Buffer.concat(Array.from({ length: 64 }, () => request(...returningCall(1_000_000))))
          socket.pause()
          writeForever(socket, () => requests)
        },
        { connections: 200 },
      ),
  },
  {
    id: 'feed-junk',
    title: '50 subscribers of the feed that send junk',
    run: (node) =>
      holdSockets(node, (socket) => writeForever(socket, () => frame(FINAL | TEXT, JUNK)), {
        connections: 50,
        path: '/feed',
      }),
  },
  {
    id: 'feed-churn',
    title: 'feed subscribers that come with a cursor and leave',
    run: (node) =>
      holdSockets(node, (socket) => socket.write(frame(FINAL | TEXT, Buffer.from('{"from":0}'))), {
        connections: 100,
        path: '/feed?block=0&index=0',
      }),
  },
  {
    id: 'replica-junk',
    title: '16 replicas that send junk',
    run: (node) =>
      holdSockets(node, (socket) => writeForever(socket, () => frame(FINAL | 0x2, JUNK)), {
        connections: 16,
        path: '/replica',
      }),
  },
]
