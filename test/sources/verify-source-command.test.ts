import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import solc from 'solc'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifyBuiltSource } from '../../src/cli/verify-source/verify-source-command.ts'
import { inputOf, SOLC_VERSION } from '../support/solidity-sources.ts'
import { openSourcesScene, type SourcesScene } from '../support/sources-scene.ts'

const directory = mkdtempSync(join(tmpdir(), 'verify-source-'))
const artifacts = join(directory, 'artifacts')
let scene: SourcesScene
let rpcUrl: string
beforeAll(async () => {
  scene = await openSourcesScene(join(directory, 'sources'))
  const server = createServer(async (request, response) => {
    const body = await text(request)
    if (request.url!.startsWith('/verify/')) {
      const answer = await scene.send(request.url!, request.method === 'POST' ? body : undefined)
      response.writeHead(answer.status).end(JSON.stringify(answer.body))
    } else {
      const calls: readonly { id: number; method: string; params: readonly unknown[] }[] = JSON.parse(body)
      const results = calls.map(async ({ id, method, params }) => ({
        jsonrpc: '2.0',
        id,
        result: await scene.request(method, ...params),
      }))
      response.end(JSON.stringify(await Promise.all(results)))
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  rpcUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const input = inputOf({
    outputSelection: { '*': { '*': ['abi', 'metadata', 'evm.bytecode', 'evm.deployedBytecode'] } },
  })
  mkdirSync(join(artifacts, 'build-info'), { recursive: true })
  writeFileSync(
    join(artifacts, 'build-info', 'build.json'),
    JSON.stringify({
      solcLongVersion: SOLC_VERSION.slice(1),
      input,
      output: JSON.parse(solc.compile(JSON.stringify(input))),
    }),
  )
  return () => server.close()
})
afterAll(async () => {
  await scene.node.stop()
  rmSync(directory, { recursive: true })
})

test('a contract that is verified already is reported by the name that the node has', async () => {
  const address = await scene.deploy('src/Factory.sol', 'Factory')
  const options = { rpcUrl, requestTimeoutMs: 10_000, abi: artifacts, json: false, contract: undefined }
  const exact = { address, contract: 'src/Factory.sol:Factory', match: 'exact_match' }

  expect(await verifyBuiltSource(address, options)).toEqual(exact)
  expect(await verifyBuiltSource(address, options)).toEqual(exact)
  expect(await verifyBuiltSource(address, { ...options, contract: 'Factory' })).toEqual(exact)
  expect(await verifyBuiltSource(address, { ...options, contract: 'Child' })).toEqual({
    address,
    contract: 'src/Factory.sol:Child',
    match: null,
    reason: 'it is verified as src/Factory.sol:Factory',
  })
})
