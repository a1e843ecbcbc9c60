import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import solc from 'solc'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Address, hexToBytes } from '../../src/primitives/hex.ts'
import { buildInfoVersion, findBuiltContract } from '../../src/sources/build-info/read-build-infos.ts'
import { BuiltSources } from '../../src/sources/verification/built-sources.ts'
import { withoutProject } from '../../src/sources/verification/sources.ts'
import { inputOf, SOLC_VERSION } from '../support/solidity-sources.ts'
import { openSourcesScene, type SourcesScene } from '../support/sources-scene.ts'

/** The arguments (30, "vault") of the vault. */
const ARGUMENTS = `${[30n, 64n, 5n].map((word) => word.toString(16).padStart(64, '0')).join('')}${Buffer.from('vault').toString('hex').padEnd(64, '0')}`
const IMPLEMENTATION = '11'.repeat(20).padStart(64, '0')
const OUTPUTS = { '*': { '*': ['abi', 'metadata', 'evm.bytecode', 'evm.deployedBytecode'], '': ['ast'] } }

let directory: string
let artifacts: string
let scene: SourcesScene
let searches: number
let milliseconds: number
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'built-sources-'))
  artifacts = join(directory, 'artifacts')
  searches = 0
  milliseconds = 1_700_000_000_000
  const built = new BuiltSources(artifacts, {
    find: async ({ folder, code }) => {
      searches += 1
      return findBuiltContract(folder, hexToBytes(code))
    },
    version: buildInfoVersion,
    now: () => new Date(milliseconds),
  })
  scene = await openSourcesScene(join(directory, 'sources'), { built })
})
afterEach(async () => {
  await scene.node.node.stop()
  rmSync(directory, { recursive: true })
})

/** Compiles the project as a tool does. @param change changes each source */
function build(change?: (text: string) => string, settings: object = {}): void {
  mkdirSync(join(artifacts, 'build-info'), { recursive: true })
  const plain = inputOf({}, change)
  const input = { ...plain, settings: { ...plain.settings, ...settings, outputSelection: OUTPUTS } }
  const output = JSON.parse(solc.compile(JSON.stringify(input)))
  const info = { solcLongVersion: SOLC_VERSION.slice(1), input, output }
  writeFileSync(join(artifacts, 'build-info', 'a.json'), JSON.stringify(info))
  milliseconds += 1_000
}

const chainId = () => scene.node.node.config.chainId
const sourcify = (address: string) => scene.send(`/verify/sourcify/v2/contract/${chainId()}/${address}?fields=all`)
const etherscan = (action: string, address: string) =>
  scene.send(`/verify/etherscan/api?module=contract&action=${action}&address=${address}`)

describe('contracts of the project of a node', () => {
  test('are verified exactly without an upload, with immutables, libraries and arguments', async () => {
    build()
    const shares = await scene.deploy('src/Shares.sol', 'Shares')
    const vault = await scene.deploy('src/Vault.sol', 'Vault', { libraries: [shares], args: ARGUMENTS })

    const { status, body } = await sourcify(vault)

    expect(status).toBe(200)
    expect(body).toMatchObject({ match: 'exact_match', runtimeMatch: 'exact_match', creationMatch: 'exact_match' })
    expect(body.compilation).toMatchObject({ fullyQualifiedName: 'src/Vault.sol:Vault', compiler: 'solc' })
    expect(body.sources['src/Vault.sol'].content).toBe(inputOf().sources['src/Vault.sol']!.content)
    expect((await sourcify(shares)).body).toMatchObject({ match: 'exact_match' })
    const [entry] = (await etherscan('getsourcecode', vault)).body.result
    expect(entry).toMatchObject({ ContractName: 'Vault', ConstructorArguments: ARGUMENTS })
  })

  test('match but for the metadata, if a comment differs', async () => {
    build((text) => `${text}// one more comment\n`)
    const proxy = await scene.deploy('src/Proxy.sol', 'Proxy', { args: IMPLEMENTATION })

    expect((await sourcify(proxy)).body).toMatchObject({ match: 'match', runtimeMatch: 'match' })
  })

  test('are never an exact match, if the compiler appended no hash', async () => {
    build(undefined, { metadata: { bytecodeHash: 'none' } })
    const found = findBuiltContract(artifacts, new Uint8Array(0), { name: 'Proxy' })

    expect(found!.output.deployedBytecode.metadata).toBeUndefined()
  })

  test('are unknown, if the code differs or nothing is compiled', async () => {
    const proxy = await scene.deploy('src/Proxy.sol', 'Proxy', { args: IMPLEMENTATION })
    expect((await sourcify(proxy)).status).toBe(404)
    expect(searches).toBe(0)

    build((text) => text.replace('case 0 {', 'case 7 {'))

    expect((await sourcify(proxy)).status).toBe(404)
  })

  test('are not shown to clients that may not verify', async () => {
    build()
    const proxy = await scene.deploy('src/Proxy.sol', 'Proxy', { args: IMPLEMENTATION })
    const target = `/verify/sourcify/v2/contract/${chainId()}/${proxy}`

    const { status } = await scene.send(target, undefined, { sources: withoutProject(scene.sources) })

    expect(status).toBe(404)
    expect(searches).toBe(0)
    expect((await scene.send(target)).status).toBe(200)
  })

  test('are stored when they are uploaded', async () => {
    build()
    const proxy = await scene.deploy('src/Proxy.sol', 'Proxy', { args: IMPLEMENTATION })
    const upload = {
      stdJsonInput: inputOf(),
      compilerVersion: SOLC_VERSION.slice(1),
      contractIdentifier: 'src/Proxy.sol:Proxy',
    }

    const { status, body } = await scene.send(
      `/verify/sourcify/v2/verify/${chainId()}/${proxy}`,
      JSON.stringify(upload),
    )
    const job = await scene.send(`/verify/sourcify/v2/verify/${body.verificationId}`)

    expect(status).toBe(202)
    expect(job.body).toMatchObject({ isJobCompleted: true, contract: { match: 'exact_match' } })
    expect(await scene.sources.source(proxy as Address, false)).toMatchObject({ address: proxy })
  })

  test('are searched once, and again when they are compiled anew', async () => {
    build((text) => text.replace('case 0 {', 'case 7 {'))
    const proxy = await scene.deploy('src/Proxy.sol', 'Proxy', { args: IMPLEMENTATION })
    await Promise.all([1, 2, 3].map(() => sourcify(proxy)))
    expect(searches).toBe(1)

    build()
    expect((await sourcify(proxy)).body).toMatchObject({ match: 'exact_match' })
    await etherscan('getabi', proxy)
    expect(searches).toBe(2)
  })
})
