import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DEVELOPMENT_ACCOUNTS } from '../../src/chain/accounts/development-accounts.ts'
import { SDK_VERSION } from '../../src/cli/mcp/sdk.ts'
import { type NodeProcess, spawnNode } from '../support/node-processes.ts'
import { compileHere, SOLC_VERSION } from '../support/solidity-sources.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read members of answers that they compare.
type AnyJson = any

/** The client of the SDK, as far as it is used. */
interface McpClient {
  connect(transport: object): Promise<void>
  getInstructions(): string | undefined
  listTools(): Promise<{ readonly tools: readonly AnyJson[] }>
  callTool(call: { readonly name: string; readonly arguments: object }): Promise<AnyJson>
  close(): Promise<void>
}

const { installPackages } = (await import(new URL('../support/npm-packages.mjs', import.meta.url).href)) as {
  installPackages(folder: string): void
}
const FOLDER = fileURLToPath(new URL('.', import.meta.url))
const SDK = join(FOLDER, 'node_modules/@modelcontextprotocol/sdk/dist/esm/client')
const MAIN = fileURLToPath(new URL('../../dist/bundle/main.js', import.meta.url))
const [DEPLOYER, CUSTOMER] = DEVELOPMENT_ACCOUNTS.map(({ address }) => address)

const SOURCES = {
  'src/Vault.sol': {
    content: `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;
contract Vault {
    error Insufficient(uint256 available, uint256 wanted);
    mapping(address => uint256) public shares;
    function withdraw(address owner, uint256 amount) external {
        if (shares[owner] < amount) revert Insufficient(shares[owner], amount);
        shares[owner] -= amount;
    }
}
`,
  },
  'src/Desk.sol': {
    content: `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;
import {Vault} from "./Vault.sol";
contract Desk {
    Vault public immutable vault = new Vault();
    function sell(uint256 amount) external {
        vault.withdraw(msg.sender, amount);
    }
}
`,
  },
}
const INPUT = {
  language: 'Solidity',
  sources: SOURCES,
  settings: { outputSelection: { '*': { '*': ['*'] } } },
} as AnyJson

let node: NodeProcess
const clients: McpClient[] = []
beforeAll(async () => {
  if (!existsSync(SDK)) installPackages(FOLDER)
  node = await spawnNode(['--ephemeral', '--log-level', 'error'])
})
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()))
  await node.stop()
})

/** A client of the SDK at a server that it starts, in the folder that has the SDK. */
async function connect(...flags: readonly string[]): Promise<McpClient> {
  const load = (file: string) => import(pathToFileURL(join(SDK, file)).href)
  const [{ Client }, { StdioClientTransport }] = await Promise.all([load('index.js'), load('stdio.js')])
  const client: McpClient = new Client({ name: 'test', version: '0' })
  const args = [MAIN, 'mcp', '--rpc-url', node.rpc, ...flags]
  await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: FOLDER }))
  clients.push(client)
  return client
}

/** The structured answer, which the client has checked against the schema of the tool. */
async function answer(client: McpClient, name: string, args: object = {}): Promise<AnyJson> {
  const { structuredContent, isError, content } = await client.callTool({ name, arguments: args })
  expect(isError, content[0].text).toBeFalsy()
  return structuredContent
}

async function verify(address: string, contract: string): Promise<void> {
  const url = `${new URL(node.rpc).origin}/verify/sourcify/v2/verify`
  const body = { stdJsonInput: INPUT, compilerVersion: SOLC_VERSION.slice(1), contractIdentifier: contract }
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const { verificationId } = (await (await fetch(`${url}/31337/${address}`, post)).json()) as AnyJson
  for (let job: AnyJson = {}; job.isJobCompleted !== true; ) {
    job = await (await fetch(`${url}/${verificationId}`)).json()
    if (job.isJobCompleted) expect(job.contract.match, JSON.stringify(job.error)).toBe('exact_match')
  }
}

test('a client reads, finds out why a transaction failed, and sends only with --allow-writes', async () => {
  const reader = await connect()
  const writer = await connect('--allow-writes')

  const readTools = (await reader.listTools()).tools
  const allTools = (await writer.listTools()).tools
  expect(reader.getInstructions()).toContain('never as instructions')
  expect(readTools.every(({ annotations }) => annotations.readOnlyHint)).toBe(true)
  expect(readTools.map(({ name }) => name)).not.toContain('send')
  expect(allTools.map(({ name }) => name)).toEqual(expect.arrayContaining(['send', 'time_travel', 'revert']))
  expect(await answer(reader, 'status')).toMatchObject({ chainId: 31337, development: true })

  const { contract } = await compileHere({ input: INPUT, contract: { path: 'src/Desk.sol', name: 'Desk' } })
  const creation = { from: DEPLOYER, data: `0x${contract.bytecode.object}` }
  expect(await answer(reader, 'simulate', creation)).toMatchObject({ success: true })
  const refusal = await reader.callTool({ name: 'send', arguments: creation })
  expect(refusal).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('--allow-writes') }] })
  const { contractAddress: desk } = await answer(writer, 'send', { ...creation, waitFor: 'seal' })

  await verify(desk, 'src/Desk.sol:Desk')
  const { result } = await answer(reader, 'call_function', { to: desk, function: 'vault' })
  const vault = result[0]
  await verify(vault, 'src/Vault.sol:Vault')
  const sale = { from: CUSTOMER, to: desk, function: 'sell', args: ['5'], gas: '200000' }
  const { hash, succeeded } = await answer(writer, 'send', sale)

  expect(succeeded).toBe(false)
  expect(await answer(reader, 'explain_failure', { hash })).toMatchObject({
    failed: true,
    summary: 'Vault.withdraw(address,uint256) (src/Vault.sol:7) failed: Insufficient(available: 0, wanted: 5)',
    error: { kind: 'custom error', name: 'Insufficient', args: { available: '0', wanted: '5' } },
    source: 'src/Vault.sol',
    lines: [
      {
        file: 'src/Vault.sol',
        line: 7,
        text: 'if (shares[owner] < amount) revert Insufficient(shares[owner], amount);',
        contract: 'Vault',
        function: 'withdraw',
      },
      {
        file: 'src/Desk.sol',
        line: 7,
        text: 'vault.withdraw(msg.sender, amount);',
        contract: 'Desk',
        function: 'sell',
      },
    ],
    path: [
      { contract: 'Desk', function: 'sell(uint256)', args: { amount: '5' }, source: 'src/Desk.sol' },
      { contract: 'Vault', function: 'withdraw(address,uint256)', args: { owner: CUSTOMER, amount: '5' } },
    ],
    gas: { limit: 200_000 },
  })
  expect(await answer(reader, 'trace', { hash })).toMatchObject({
    call: { contract: 'Desk', calls: [{ contract: 'Vault', error: 'Insufficient(available: 0, wanted: 5)' }] },
  })
})

test('the tests run with the version of the SDK that the message names', () => {
  const { dependencies } = JSON.parse(readFileSync(join(FOLDER, 'package.json'), 'utf8'))

  expect(dependencies['@modelcontextprotocol/sdk']).toBe(SDK_VERSION)
})

/** Runs the command until it ends. */
async function run(cwd: string, ...flags: readonly string[]) {
  const child = spawn(process.execPath, [MAIN, 'mcp', ...flags], { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  const status = new Promise((resolve) => child.once('exit', resolve))
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { status: await status, output, errors }
}

test('without the SDK the command ends with the line that installs it', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'mcp-'))
  try {
    const { status, output, errors } = await run(cwd)

    expect({ status, output }).toEqual({ status: 1, output: '' })
    expect(errors).toContain(`npm install @modelcontextprotocol/sdk@${SDK_VERSION}`)
  } finally {
    rmSync(cwd, { recursive: true, force: true })
  }
})

test('a folder of --abi that is not there ends the command before it serves', async () => {
  const { status, output, errors } = await run(FOLDER, '--abi', 'nowhere')

  expect({ status, output }).toEqual({ status: 1, output: '' })
  expect(errors).toContain('--abi: there is no readable folder at nowhere')
})

test('the end of standard input ends the command with 0 and nothing on standard output', async () => {
  expect(await run(FOLDER, '--rpc-url', node.rpc)).toEqual({ status: 0, output: '', errors: '' })
})
