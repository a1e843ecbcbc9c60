import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { tickertape } from '@tickertape/node/prool'
import { Instance, Server } from 'prool'

const server = Server.create({
  host: '127.0.0.1',
  port: 0,
  instance: Instance.define(tickertape)({ mining: 'auto', chainId: 9 }),
})
let stop
before(async () => {
  stop = await server.start()
})
after(() => stop())

async function request(path, method, params = []) {
  const { port } = server.address()
  const response = await fetch(`http://127.0.0.1:${port}/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result, error } = await response.json()
  assert.equal(error, undefined)
  return result
}

test('each path has a node of its own', async () => {
  await request(1, 'anvil_mine', ['0x5'])

  assert.equal(await request(1, 'eth_blockNumber'), '0x5')
  assert.equal(await request(2, 'eth_blockNumber'), '0x0')
  assert.equal(await request(2, 'eth_chainId'), '0x9')
})
