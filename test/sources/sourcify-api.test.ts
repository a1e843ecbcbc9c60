import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { contractOfSourcify, SOURCIFY_FIELDS } from '../../src/solidity/compiled/read-output.ts'
import { NodeRequestError } from '../../src/sources/source-error.ts'
import { compileHere, inputOf, SOLC_VERSION } from '../support/solidity-sources.ts'
import { openSourcesScene, type SourcesScene } from '../support/sources-scene.ts'

const API = '/verify/sourcify/v2'
const directory = mkdtempSync(join(tmpdir(), 'sources-'))
let scene: SourcesScene
let chain: string
beforeAll(async () => {
  scene = await openSourcesScene(directory)
  chain = `${scene.node.node.config.chainId}`
})
afterAll(async () => {
  await scene.node.stop()
  rmSync(directory, { recursive: true })
})

/** @returns the finished job, or the response that refuses it */
async function verify(address: string, contractIdentifier: string, more: object = {}) {
  const body = { stdJsonInput: inputOf(), compilerVersion: SOLC_VERSION.slice(1), contractIdentifier, ...more }
  const { status, body: answer } = await scene.send(`${API}/verify/${chain}/${address}`, JSON.stringify(body))
  return status === 202 ? (await scene.send(`${API}/verify/${answer.verificationId}`)).body : answer
}

const contract = async (address: string, query = '') => scene.send(`${API}/contract/${chain}/${address}${query}`)

test('a pre-confirmed contract matches exactly, by its creation as well', async () => {
  const address = await scene.deploy('src/Factory.sol', 'Factory', { isPending: true })
  expect(await contract(address)).toMatchObject({ status: 404, body: { match: null, address } })

  expect(await verify(address, 'src/Factory.sol:Factory')).toMatchObject({
    isJobCompleted: true,
    contract: {
      match: 'exact_match',
      creationMatch: 'exact_match',
      runtimeMatch: 'exact_match',
      chainId: chain,
      address,
    },
  })

  expect(await contract(address)).toMatchObject({ status: 200, body: { match: 'exact_match', address } })
  expect((await scene.send(`${API}/contracts/${chain}`)).body.results).toContainEqual(
    expect.objectContaining({ address, match: 'exact_match' }),
  )
  await scene.node.nextBlock()
})

test('a verified contract has all that a debugger needs, with the syntax trees of its sources only', async () => {
  const address = await scene.deploy('src/Vault.sol', 'Vault', {
    libraries: [`0x${'11'.repeat(20)}`],
    args: `${'0'.repeat(63)}1${'0'.repeat(62)}40${'0'.repeat(64)}`,
  })
  await verify(address, 'src/Vault.sol:Vault')

  const { body } = await contract(address, `?fields=${SOURCIFY_FIELDS}`)
  const found = contractOfSourcify(body)

  expect(found).toMatchObject({ id: 'src/Vault.sol:Vault', missing: [] })
  expect(found!.sources.syntax.contracts.map(({ name }) => name).sort()).toEqual(['Shares', 'Vault'])
  expect(found!.sources.syntax.functions.map(({ name }) => name)).toContain('quote')
})

test('a contract that another contract created is verified with its arguments', async () => {
  const { node, request } = scene
  const factory = await scene.deploy('src/Factory.sol', 'Factory')
  const child = await scene.createChild(factory, 7)

  expect(await verify(child, 'src/Factory.sol:Child')).toMatchObject({ contract: { creationMatch: 'exact_match' } })

  const { body } = await contract(child, '?fields=creationBytecode.transformationValues,deployment')
  expect(body.creationBytecode).toEqual({
    transformationValues: { constructorArguments: `0x${'7'.padStart(64, '0')}` },
  })
  expect(body.deployment.deployer).toBe(
    ((await request('eth_getTransactionByHash', body.deployment.transactionHash)) as { from: string }).from,
  )
  expect(node.logged).toEqual([])
})

test('every field of a contract is given', async () => {
  const address = await scene.deploy('src/Proxy.sol', 'Proxy', { args: '11'.repeat(20).padStart(64, '0') })
  await verify(address, 'src/Proxy.sol:Proxy')

  const { body } = await contract(address, '?fields=all')

  expect(body).toMatchObject({
    compilation: { compiler: 'solc', name: 'Proxy', fullyQualifiedName: 'src/Proxy.sol:Proxy', language: 'Solidity' },
    sources: inputOf().sources,
    stdJsonInput: inputOf(),
    sourceIds: { 'src/Proxy.sol': { id: expect.any(Number) } },
    metadata: { compiler: { version: SOLC_VERSION.slice(1) } },
    proxyResolution: {
      isProxy: true,
      proxyType: 'EIP1967Proxy',
      implementations: [{ address: `0x${'11'.repeat(20)}` }],
    },
    runtimeBytecode: { sourceMap: expect.stringContaining(';'), cborAuxdata: { 1: { offset: expect.any(Number) } } },
  })
  expect(body.runtimeBytecode.onchainBytecode).toBe(body.runtimeBytecode.recompiledBytecode)
  const omitted = (await contract(address, '?omit=sources,stdJsonInput')).body
  expect([omitted.sources, omitted.abi]).toEqual([undefined, body.abi])
  expect(await contract(address, '?fields=nothing')).toMatchObject({
    status: 400,
    body: { customCode: 'invalid_parameter' },
  })
})

test('metadata and its sources are enough', async () => {
  const address = await scene.deploy('src/Shares.sol', 'Shares')
  const { contract: compiled } = await compileHere({
    input: inputOf(),
    contract: { path: 'src/Shares.sol', name: 'Shares' },
  })
  const sources = { 'src/Shares.sol': inputOf().sources['src/Shares.sol']!.content }
  const body = JSON.stringify({ metadata: JSON.parse(compiled.metadata!), sources })

  const { body: answer } = await scene.send(`${API}/verify/metadata/${chain}/${address}`, body)

  expect((await scene.send(`${API}/verify/${answer.verificationId}`)).body).toMatchObject({
    contract: { match: 'exact_match' },
  })
})

test('failures have the codes of Sourcify', async () => {
  const address = await scene.deploy('src/Factory.sol', 'Factory')
  const nowhere = `0x${'98'.repeat(20)}`

  expect(await verify(address, 'src/Proxy.sol:Proxy')).toMatchObject({
    contract: { match: null },
    error: { customCode: 'no_match' },
  })
  expect(await verify(nowhere, 'src/Proxy.sol:Proxy')).toMatchObject({ error: { customCode: 'contract_not_deployed' } })
  expect(await verify(address, 'src/Proxy.sol:Proxy', { compilerVersion: '0.4.1' })).toMatchObject({
    customCode: 'unsupported_compiler_version',
    message: expect.stringContaining('npm install'),
  })
  expect(await verify(address, 'src/Factory.sol:Factory')).toMatchObject({ contract: { match: 'exact_match' } })
  expect(await verify(address, 'src/Factory.sol:Factory')).toMatchObject({ customCode: 'already_verified' })
  const refused = [
    `${API}/contract/1/${address}`,
    `${API}/verify/none`,
    '/verify/sourcify/v1/x',
    '/verify/nothing',
    `/verify/sourcifyv2/contract/${chain}/${nowhere}`,
  ]
  expect(await Promise.all(refused.map(async (path) => (await scene.send(path)).status))).toEqual([
    404, 404, 404, 404, 404,
  ])
  expect(await scene.send(`${API}/verify/${chain}/${address}`, '{')).toMatchObject({ status: 400 })
  expect(await scene.send(`${API}/verify/${chain}/${address}`, '{}', { mayPost: false })).toMatchObject({ status: 403 })
})

test.each([
  ['a source that is null', { sources: { 'a.sol': null } }],
  ['libraries that are null', { sources: {}, settings: { compilationTarget: { 'a.sol': 'A' }, libraries: null } }],
  ['no settings', { settings: null }],
])('metadata with %s is refused', async (_, more) => {
  const settings = { compilationTarget: { 'a.sol': 'A' } }
  const metadata = { language: 'Solidity', compiler: { version: '0.8.24' }, settings, ...more }
  const address = `0x${'97'.repeat(20)}`

  const answer = await scene.send(`${API}/verify/metadata/${chain}/${address}`, JSON.stringify({ metadata }))

  expect(answer).toMatchObject({ status: 400, body: { customCode: 'invalid_parameter' } })
})

test('errors of the node have a status and a message, and other errors are logged', async () => {
  const address = await scene.deploy('src/Factory.sol', 'Factory')
  await verify(address, 'src/Factory.sol:Factory')
  const path = `${API}/contract/${chain}/${address}?fields=runtimeBytecode`
  const logged: object[] = []
  const failing = (error: Error) =>
    scene.send(path, undefined, {
      request: () => Promise.reject(error),
      log: { error: (details) => logged.push(details) },
    })

  expect(await failing(new NodeRequestError('too fast', 1_500))).toMatchObject({
    status: 429,
    headers: { 'retry-after': '2' },
    body: { message: 'too fast' },
  })
  expect(await failing(new NodeRequestError('no such block'))).toMatchObject({ status: 400 })
  expect(logged).toEqual([])
  const unexpected = await failing(new Error('open /secret/path'))
  expect(unexpected).toMatchObject({ status: 500, body: { customCode: 'internal_error' } })
  expect(JSON.stringify(unexpected)).not.toContain('/secret')
  expect(logged).toHaveLength(1)
})

test.each(['-1', '0', '1.5', '201', 'x'])('a listing of %s contracts is refused', async (limit) => {
  expect(await scene.send(`${API}/contracts/${chain}?limit=${limit}`)).toMatchObject({
    status: 400,
    body: { customCode: 'invalid_parameter' },
  })
})

test('sources of a contract whose code has changed are not shown', async () => {
  const address = await scene.deploy('src/Factory.sol', 'Factory')
  await verify(address, 'src/Factory.sol:Factory')
  const number = Number(await scene.request('eth_blockNumber'))

  await scene.node.result('debug_setHead', `0x${(number - 1).toString(16)}`)

  expect(await contract(address)).toMatchObject({ status: 404 })
})

test('verified sources survive the process that verified them', async () => {
  const address = await scene.deploy('src/Shares.sol', 'Shares', {})
  await verify(address, 'src/Shares.sol:Shares')
  // A crash while a file was written.
  writeFileSync(join(directory, `${address}.json.new`), '{')
  const another = await openSourcesScene(directory, { request: scene.request })

  expect(await another.sources.list(undefined, 200)).toEqual(await scene.sources.list(undefined, 200))
  expect(await another.sources.source(address as never)).toEqual(await scene.sources.source(address as never))

  await another.node.stop()
})
