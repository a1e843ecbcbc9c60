import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inputOf, SOLC_VERSION } from '../support/solidity-sources.ts'
import { openSourcesScene, type SourcesScene } from '../support/sources-scene.ts'

const API = '/verify/etherscan/api'
const directory = mkdtempSync(join(tmpdir(), 'sources-'))
let scene: SourcesScene
let library: string
beforeAll(async () => {
  scene = await openSourcesScene(directory)
  library = await scene.deploy('src/Shares.sol', 'Shares')
})
afterAll(async () => {
  await scene.node.stop()
  rmSync(directory, { recursive: true })
})

/** The arguments (30, "vault") of the vault. */
const ARGUMENTS = [
  ...[30, 64, 5].map((word) => word.toString(16).padStart(64, '0')),
  Buffer.from('vault').toString('hex').padEnd(64, '0'),
].join('')
const deployVault = () => scene.deploy('src/Vault.sol', 'Vault', { libraries: [library], args: ARGUMENTS })

async function get(parameters: Readonly<Record<string, string>>) {
  const { status, body } = await scene.send(`${API}?${new URLSearchParams(parameters)}`)
  expect(status).toBe(200)
  return body
}

/** Sends sources as tools do. @returns the response to the request for its status, or to the request itself */
async function verify(address: string, contract: string, more: Readonly<Record<string, string>> = {}) {
  const form = new URLSearchParams({
    module: 'contract',
    action: 'verifysourcecode',
    contractaddress: address,
    codeformat: 'solidity-standard-json-input',
    sourceCode: JSON.stringify(inputOf()),
    contractname: contract,
    compilerversion: SOLC_VERSION,
    ...more,
  })
  const { body } = await scene.send(`${API}?apikey=any`, `${form}`)
  return body.status === '1' ? get({ module: 'contract', action: 'checkverifystatus', guid: body.result }) : body
}

const sourceOf = async (address: string) =>
  (await get({ module: 'contract', action: 'getsourcecode', address })).result[0]

describe('verifysourcecode', () => {
  test('a linked contract with immutables and arguments passes, and its sources can be read', async () => {
    const address = await deployVault()
    expect(await get({ module: 'contract', action: 'getabi', address })).toEqual({
      status: '0',
      message: 'NOTOK',
      result: 'Contract source code not verified',
    })
    expect(await sourceOf(address)).toMatchObject({ SourceCode: '', ABI: 'Contract source code not verified' })

    expect(await verify(address, 'src/Vault.sol:Vault')).toMatchObject({ status: '1', result: 'Pass - Verified' })

    const entry = await sourceOf(address)
    expect(entry).toMatchObject({
      ContractName: 'Vault',
      CompilerVersion: SOLC_VERSION,
      ConstructorArguments: ARGUMENTS,
      EVMVersion: 'prague',
      Proxy: '0',
    })
    expect(JSON.parse(entry.SourceCode.slice(1, -1)).sources).toEqual(inputOf().sources)
    const abi = JSON.parse((await get({ module: 'contract', action: 'getabi', address })).result)
    expect(abi.map(({ name }: { name?: string }) => name)).toContain('quote')
    expect(await verify(address, 'src/Vault.sol:Vault')).toMatchObject({
      status: '0',
      result: 'Contract source code already verified',
    })
  })

  test('a proxy passes with its implementation', async () => {
    const args = library.slice(2).padStart(64, '0')
    const address = await scene.deploy('src/Proxy.sol', 'Proxy', { args })

    expect(await verify(address, 'src/Proxy.sol:Proxy')).toMatchObject({ result: 'Pass - Verified' })

    expect(await sourceOf(address)).toMatchObject({ Proxy: '1', Implementation: library, ConstructorArguments: args })
  })

  test('sources with other comments pass as long as nothing better is known', async () => {
    const address = await deployVault()
    const commented = JSON.stringify(inputOf({}, (text) => `${text}// comment\n`))

    expect(await verify(address, 'src/Vault.sol:Vault', { sourceCode: commented })).toMatchObject({ status: '1' })
    expect(await verify(address, 'src/Vault.sol:Vault', { sourceCode: commented })).toMatchObject({
      result: 'Already Verified',
    })
    expect(await verify(address, 'src/Vault.sol:Vault')).toMatchObject({ status: '1' })
    expect((await sourceOf(address)).SourceCode).not.toContain('// comment')
  })

  test.each([
    ['another contract', 'src/Proxy.sol:Proxy', {}, 'the compiled code has'],
    ['an unknown contract', 'src/Proxy.sol:Nothing', {}, 'is not in the sources'],
    [
      'sources with an error',
      'a.sol:A',
      { codeformat: 'solidity-single-file', sourceCode: 'contract A { x }' },
      'Error',
    ],
    [
      'another optimizer',
      'src/Vault.sol:Vault',
      { sourceCode: JSON.stringify(inputOf({ optimizer: { enabled: true } })) },
      'bytes',
    ],
  ])('%s fails with the reason', async (_, contract, more, reason) => {
    const address = await deployVault()
    expect(await verify(address, contract, more)).toMatchObject({
      status: '0',
      result: expect.stringMatching(new RegExp(`^Fail - Unable to verify: .*${reason}`, 's')),
    })
  })

  test.each([
    ['an address without code', { contractaddress: `0x${'99'.repeat(20)}` }, 'Unable to locate ContractCode'],
    [
      'a compiler that is not installed',
      { compilerversion: 'v0.8.1+commit.df193b15' },
      'npm install solc-0.8.1@npm:solc@0.8.1',
    ],
    ['a nightly compiler', { compilerversion: 'v0.8.1-nightly.2021.1.1+commit.df193b15' }, 'name a release'],
    ['Vyper', { codeformat: 'vyper-json' }, 'is not supported'],
    [
      'sources by URL',
      { sourceCode: JSON.stringify({ language: 'Solidity', sources: { 'a.sol': { urls: ['ipfs://x'] } } }) },
      'URLs are not read',
    ],
    [
      'too many sources',
      {
        sourceCode: JSON.stringify({ language: 'Solidity', sources: { 'a.sol': { content: 'x'.repeat(5_300_000) } } }),
      },
      'at most 5242880',
    ],
    ['another chain', { chainid: '1' }, 'unsupported chainid'],
  ])('%s is refused at once', async (_, more, reason) => {
    expect(await verify(library, 'src/Shares.sol:Shares', more)).toMatchObject({
      status: '0',
      result: expect.stringContaining(reason),
    })
  })

  test('a client that may not send sources is told the flag', async () => {
    const form = new URLSearchParams({ module: 'contract', action: 'verifysourcecode', contractaddress: library })
    const { body } = await scene.send(API, `${form}`, { mayPost: false })
    expect(body).toMatchObject({ status: '0', result: expect.stringContaining('--expose-verify') })
  })
})

test('an unexpected error is logged, and its text is not shown', async () => {
  const logged: object[] = []
  const { body } = await scene.send(`${API}?module=account&action=balance&address=${library}`, undefined, {
    request: () => Promise.reject(new Error('open /secret/path')),
    log: { error: (details) => logged.push(details) },
  })

  expect(body).toEqual({ status: '0', message: 'NOTOK', result: expect.stringContaining('internal error') })
  expect(logged).toHaveLength(1)
})

describe('the other modules', () => {
  test('answer from the chain', async () => {
    const { node } = scene
    const address = await deployVault()
    const [creation] = (await get({ module: 'contract', action: 'getcontractcreation', contractaddresses: address }))
      .result
    const receipt = await node.result<Record<string, string>>('eth_getTransactionReceipt', creation.txHash)
    expect(receipt.contractAddress).toBe(address)
    const list = await get({
      module: 'account',
      action: 'txlist',
      address: creation.contractCreator,
      sort: 'desc',
      offset: '2',
    })
    const block = await node.result<Record<string, string>>('eth_getBlockByNumber', receipt.blockNumber, false)
    const time = `${Number(block.timestamp)}`
    const byTime = (closest: string, timestamp: string) =>
      get({ module: 'block', action: 'getblocknobytime', closest, timestamp })

    expect(list.result[0]).toMatchObject({ hash: creation.txHash, contractAddress: address, isError: '0', to: '' })
    expect(list.result).toHaveLength(2)
    expect(await get({ module: 'transaction', action: 'gettxreceiptstatus', txhash: creation.txHash })).toMatchObject({
      result: { status: '1' },
    })
    expect(await byTime('before', time)).toMatchObject({ result: `${Number(receipt.blockNumber)}` })
    expect(await byTime('after', `${Number(time) - 1}`)).toMatchObject({ result: `${Number(receipt.blockNumber)}` })
    const balance = await get({ module: 'account', action: 'balance', address: creation.contractCreator })
    expect(balance.result).toBe(
      `${BigInt(await node.result<string>('eth_getBalance', creation.contractCreator, 'latest'))}`,
    )
  })

  test('a list of transactions is filled behind transactions with inner calls only', async () => {
    const number = (value: number) => `0x${value.toString(16)}`
    const other = `0x${'77'.repeat(20)}`
    const at = (block: number, from: string) => ({ from, to: other, blockNumber: number(block), input: '0x' })
    const pages: Readonly<Record<number, readonly object[]>> = {
      0: [at(2, other), at(1, other)],
      2: [at(4, library), at(3, library)],
    }
    const list = (parameters: object, firstPage: (after: number) => boolean) =>
      scene.send(
        `${API}?${new URLSearchParams({ module: 'account', action: 'txlist', address: library, ...parameters })}`,
        undefined,
        {
          request: async (_, __, after) => {
            const txs = pages[after as number] ?? pages[2]!
            return { txs, receipts: txs.map(() => ({ timestamp: 0 })), firstPage: firstPage(after as number) }
          },
        },
      )

    const { body } = await list({ offset: '1' }, (after) => after === 2)
    expect(body.result.map(({ blockNumber }: { blockNumber: string }) => blockNumber)).toEqual(['3'])
    expect((await list({ endblock: '3' }, (after) => after === 2)).body.result).toHaveLength(1)
    expect((await list({ startblock: 'abc' }, () => true)).body.result).toContain('startblock must be')
    expect((await list({}, () => false)).body).toMatchObject({
      status: '0',
      result: expect.stringContaining('set startblock'),
    })
  })

  test('logs are found by address and topic', async () => {
    const address = await scene.deploy('src/Factory.sol', 'Factory')
    expect(await get({ module: 'logs', action: 'getLogs', address, fromBlock: '0', toBlock: 'latest' })).toMatchObject({
      status: '1',
      result: [],
    })
    expect(await get({ module: 'logs', action: 'getLogs', topic0_1_opr: 'or' })).toMatchObject({ status: '0' })
  })

  test.each([
    [{ module: 'contract', action: 'constructor' }, 'Missing Or invalid'],
    [{ module: 'gastracker', action: 'gasoracle' }, 'Missing Or invalid'],
    [{ module: 'account', action: 'balance', address: '0x12' }, 'Invalid address'],
    [{ module: 'contract', action: 'checkverifystatus', guid: 'none' }, 'there is no verification'],
  ])('%o is refused', async (parameters, reason) => {
    expect(await get(parameters as never)).toMatchObject({
      status: '0',
      message: 'NOTOK',
      result: expect.stringContaining(reason),
    })
  })
})
