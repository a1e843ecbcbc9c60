import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface PinnedWorker {
  readonly rpc: string
  readonly ws: string
  close(): Promise<void>
}

/** A separate port for one of the workers that share a port. */
export async function pinWorker(shared: string, worker: number): Promise<PinnedWorker> {
  const port = Number(new URL(shared).port)
  const sockets = new Set<Socket>()
  const server = createServer({ pauseOnConnect: true }, (client) => {
    sockets.add(client)
    client.on('error', () => client.destroy())
    void connectTo(port, worker, () => client.destroyed).then((upstream) => {
      if (upstream === undefined) return
      upstream.on('error', () => client.destroy())
      upstream.on('close', () => client.destroy())
      client.on('close', () => upstream.destroy())
      client.pipe(upstream).pipe(client)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const authority = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    rpc: `http://${authority}`,
    ws: `ws://${authority}`,
    async close() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

/** Connections are distributed round-robin, so some attempt reaches the wanted worker once it runs. */
async function connectTo(port: number, worker: number, isGone: () => boolean): Promise<Socket | undefined> {
  while (!isGone()) {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    if ((await answeringWorker(socket)) === worker) return socket
    socket.destroy()
  }
  return undefined
}

/** The number of the worker behind a connection; `undefined` without a response. */
function answeringWorker(socket: Socket): Promise<number | undefined> {
  return new Promise((resolve) => {
    let text = ''
    const settle = (number: number | undefined) => {
      socket.removeAllListeners()
      socket.pause()
      resolve(number)
    }
    socket.on('error', () => settle(undefined))
    socket.on('close', () => settle(undefined))
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      const found = /"worker":\{"number":(\d+)[^}]*\}\}\n$/.exec(text)
      if (found !== null) settle(Number(found[1]))
    })
    socket.write('GET /ready HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
  })
}
