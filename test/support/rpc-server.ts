import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface RpcServer {
  readonly url: string
  close(): Promise<void>
}

/** JSON-RPC over HTTP without limits, for a node that others read. */
export async function startRpcServer(handle: (body: string) => Promise<string | undefined>): Promise<RpcServer> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', async () => response.end(await handle(Buffer.concat(chunks).toString())))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
