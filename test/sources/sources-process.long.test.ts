import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bytesToHex } from '../../src/primitives/hex.ts'
import type * as CompileProcess from '../../src/sources/compiler/compile-process.ts'
import { type JsonRpcClient, jsonRpcClient } from '../support/json-rpc-client.ts'
import { type NodeProcess, spawnNode } from '../support/node-processes.ts'
import { compileHere, inputOf, SOLC_VERSION } from '../support/solidity-sources.ts'
import { signTransfer } from '../support/transfers.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { compileInProcess } = (await import(
  pathToFileURL(join(root, 'dist/sources/compiler/compile-process.js')).href
)) as typeof CompileProcess
const REQUEST = {
  directory: join(root, 'node_modules/solc'),
  input: inputOf(),
  contract: { path: 'src/Vault.sol', name: 'Vault' },
  commit: undefined,
}

describe('the compile process', () => {
  test('compiles as the compiler in this process does', async () => {
    expect(await compileInProcess(REQUEST)).toEqual(await compileHere(REQUEST))
  })

  test('ends with an error beyond its time', async () => {
    const compiling = compileInProcess(REQUEST, { timeLimitMs: 50, maxMemoryBytes: 2 ** 29 })
    await expect(compiling).rejects.toMatchObject({
      code: 'compiler_error',
      message: expect.stringContaining('0.05 s'),
    })
  })

  test('ends with an error beyond its memory', async () => {
    // The compiler begins with some memory, which the text exceeds.
    const sources = { 'src/Vault.sol': { content: `contract Vault {}${' '.repeat(40 * 2 ** 20)}` } }
    const compiling = compileInProcess(
      { ...REQUEST, input: { ...REQUEST.input, sources } },
      { timeLimitMs: 60_000, maxMemoryBytes: 32 * 2 ** 20 },
    )
    await expect(compiling).rejects.toMatchObject({ code: 'compiler_error' })
  })

  test('refuses a compiler built from another commit', async () => {
    const compiling = compileInProcess({ ...REQUEST, commit: '00000000' })
    await expect(compiling).rejects.toMatchObject({ code: 'unsupported_compiler_version' })
  })
})

describe.each([
  ['one process', []],
  ['RPC workers', ['--rpc-workers', '2']],
])('a node of %s', (_, flags) => {
  const directory = mkdtempSync(join(tmpdir(), 'sources-'))
  const open = () =>
    spawnNode(['--datadir', directory, '--latest-state', 'preconfirmed', '--log-level', 'error', ...flags])
  let node: NodeProcess
  let client: JsonRpcClient
  beforeAll(async () => {
    node = await open()
    client = jsonRpcClient(node.rpc)
  })
  afterAll(async () => {
    await node.stop()
    rmSync(directory, { recursive: true })
  })

  async function get(path: string) {
    const response = await fetch(`${node.rpc}/verify/sourcify/v2/${path}`)
    return response.json() as Promise<Readonly<Record<string, unknown>>>
  }

  async function verify(chain: number, address: string) {
    const body = {
      stdJsonInput: inputOf(),
      compilerVersion: SOLC_VERSION,
      contractIdentifier: 'src/Factory.sol:Factory',
    }
    const posted = await fetch(`${node.rpc}/verify/sourcify/v2/verify/${chain}/${address}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const { verificationId } = (await posted.json()) as { verificationId: string }
    for (;;) {
      const job = await get(`verify/${verificationId}`)
      if (job.isJobCompleted) return job
    }
  }

  test('verifies a pre-confirmed contract, and shows it to a replica and after a restart', async () => {
    const chain = Number(await client.result<string>('eth_chainId'))
    const { contract } = await compileHere({ input: inputOf(), contract: { name: 'Factory' } })
    const data = Buffer.from(contract.bytecode.object, 'hex')
    const raw = signTransfer({ nonce: 0n, to: null, value: 0n, data, gasLimit: 1_000_000n }).raw
    const sent = await client.result<{ contractAddress: string }>('eth_sendRawTransactionSync', bytesToHex(raw))
    const address = sent.contractAddress

    expect(await verify(chain, address)).toMatchObject({ contract: { match: 'exact_match', address } })

    const replica = await spawnNode(
      ['--ephemeral', '--from', `${node.ws}/replica`, '--log-level', 'error'],
      undefined,
      'replica',
    )
    const shown = await fetch(`${replica.rpc}/verify/sourcify/v2/contract/${chain}/${address}`)
    expect(await shown.json()).toMatchObject({ match: 'exact_match' })
    await replica.stop()
    await node.stop()
    node = await open()
    client = jsonRpcClient(node.rpc)
    expect(await get(`contract/${chain}/${address}`)).toMatchObject({ match: 'exact_match' })
  })
})
