import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { type ManualServer, startManualServer } from '../../../test/support/manual-server.ts'
import { verifySupplyCommand } from './verify-supply-command.ts'

let server: ManualServer
let url: string
let hash: string

beforeAll(async () => {
  server = await startManualServer()
  await server.nextBlock()
  url = `${server.url}/v1/tokenized-stocks/MRDTLd/supply-proof`
  const proof = (await (await fetch(url)).json()) as { readonly block: { readonly hash: string } }
  hash = proof.block.hash
})
afterAll(() => server.stop())
afterEach(() => {
  process.exitCode = 0
  vi.restoreAllMocks()
})

/** Exit code and output of the command. */
async function run(...args: readonly string[]) {
  let output = ''
  const write = (text: string | Uint8Array) => {
    output += text
    return true
  }
  vi.spyOn(process.stdout, 'write').mockImplementation(write)
  vi.spyOn(process.stderr, 'write').mockImplementation(write)
  await verifySupplyCommand().parseAsync(['node', 'verify-supply', ...args])
  return { exitCode: process.exitCode, output }
}

test('exits with 0 and the supply when the proof of a service verifies', async () => {
  const { exitCode, output } = await run(url, '--trusted-hash', hash, '--json', '--chain-id', '31337')

  expect(exitCode).toBe(0)
  expect(JSON.parse(output)).toMatchObject({ verified: true, totalSupply: '2500000.125', blockHash: hash })
})

test('exits with 1 for another block and for other rules', async () => {
  const other = await run(url, '--trusted-hash', `0x${'ab'.repeat(32)}`)
  const fork = await run(url, '--trusted-hash', hash, '--fork', 'prague')

  expect(other).toMatchObject({ exitCode: 1, output: expect.stringContaining('Not proven: the proof is for block 1') })
  expect(other.output).toContain('ask for the proof of the trusted block, with ?block= and its hash')
  expect(fork).toMatchObject({ exitCode: 1, output: expect.stringContaining('fork osaka') })
})

test('exits with 2 where there is no proof', async () => {
  const unknown = await run(url.replace('MRDTLd', 'NONEd'), '--trusted-hash', hash)
  const invalid = await run(url, '--trusted-hash', '0x1')

  expect(unknown).toMatchObject({ exitCode: 2, output: expect.stringContaining('gave no proof: HTTP 404') })
  expect(invalid).toMatchObject({ exitCode: 2, output: expect.stringContaining('--trusted-hash must be a block hash') })
})
