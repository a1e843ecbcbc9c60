import { createCustomCommon, Hardfork, Mainnet } from '@ethereumjs/common'
import { createEVM, type EVM } from '@ethereumjs/evm'
import { Account, createAddressFromString } from '@ethereumjs/util'
import {
  type Abi,
  decodeFunctionResult,
  encodeAbiParameters,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  hashDomain,
  keccak256,
  multicall3Abi,
  parseAbi,
} from 'viem'
import { beforeEach, describe, expect, test } from 'vitest'
import { STOCK_ROLES } from '../../../test/support/stock-deployment.ts'
import { bytesToHex, hexToBytes } from '../../primitives/hex.ts'
import { bigintToWord } from '../../primitives/quantity.ts'
import { DEVELOPMENT_ACCOUNTS } from '../accounts/development-accounts.ts'
import { DEMO_STOCK_OWNER, DEMO_STOCKS } from '../predeploys/demo-stocks.ts'
import messagePasser from '../predeploys/l2-to-l1-message-passer.json' with { type: 'json' }
import priceFeedArtifact from '../predeploys/price-feed.json' with { type: 'json' }
import stockFactory from '../predeploys/stock-factory.json' with { type: 'json' }
import stockToken from '../predeploys/stock-token.json' with { type: 'json' }
import weth9 from '../predeploys/weth9.json' with { type: 'json' }
import { genesisPredeploys } from './genesis-predeploys.ts'
import { createNetwork, GENESIS_TIMESTAMP } from './networks.ts'

const OWNER = DEVELOPMENT_ACCOUNTS[0]!.address
const OTHER = DEVELOPMENT_ACCOUNTS[1]!.address
const SYSTEM = '0xfffffffffffffffffffffffffffffffffffffffe'
const CHAIN_ID = 31_337n
const STOCK_ABI = stockToken.abi as Abi
const BLOCK_NUMBER = 41n
const TIMESTAMP = 1_735_689_700n

const ADDRESSES = new Map(genesisPredeploys(CHAIN_ID).map(({ name, address }) => [name, address]))
// Published in the OP-stack specs (Canyon: Create2Deployer, Ecotone: beacon roots, Isthmus: history); the others are
// checked by deployment tools on Ethereum.
const CODE_HASHES: Record<string, Hex> = {
  'EIP-2935 history': '0x6e49e66782037c0555897870e29fa5e552daf4719552131a0abce779daec0a5d',
  'EIP-4788 beacon roots': '0xf57acd40259872606d76197ef052f3d35588dadf919ee1f0e3cb9b62d3f4b02c',
  Multicall3: '0xd5c15df687b16f2ff992fc8d767b4216323184a2bbc6ee2f9c398c318e770891',
  DeterministicDeploymentProxy: '0x2fa86add0aed31f33a762c9d88e807c475bd51d0f52bd0955754b2608f7e4989',
  SafeSingletonFactory: '0x2fa86add0aed31f33a762c9d88e807c475bd51d0f52bd0955754b2608f7e4989',
  Create2Deployer: '0xb0550b5b431e30d38000efb7107aaa0ade03d48a7198a140edda9d27134468b2',
}

/** CreateX: pcaversaccio/createx; EntryPoint 0.6: Ethereum mainnet. The others are of the deployments themselves. */
const OP_STACK_CODE_HASHES: Record<string, Hex> = {
  Safe: '0xbba688fbdb21ad2bb58bc320638b43d94e7d100f6f3ebaab0a4e4de6304b1c2e',
  SafeL2: '0x21842597390c4c6e3c1239e434a682b054bd9548eee5e9b1d6a4482731023c0f',
  MultiSend: '0x81db0e4afdf5178583537b58c5ad403bd47a4ac7f9bde2442ef3e341d433126a',
  MultiSendCallOnly: '0xa9865ac2d9c7a1591619b188c4d88167b50df6cc0c5327fcbd1c8c75f7c066ad',
  CreateX: '0xbd8a7ea8cfca7b4e5f5041d7d4b17bc317c5ce42cfbc42066a00cf26b43eb53f',
  'EntryPoint 0.6': '0xc93c806e738300b5357ecdc2e971d6438d34d8e4e17b99b758b1f9cac91c8e70',
  'SenderCreator 0.6': '0xae818091eaaf1b6175ee41472359a689f3823d0908a41e2e5c4ad508f2fc04a3',
  'EntryPoint 0.7': '0x8db5ff695839d655407cc8490bb7a5d82337a86a6b39c3f0258aa6c3b582fc58',
  'SenderCreator 0.7': '0x283c9d14378f5f4c4e24045b87d621d48443fa5b4af7dd7180a599b3756a7689',
}

test.each(['karst', 'denim'] as const)('a chain that begins with %s has the preinstalls of the OP stack', (upgrade) => {
  const contracts = genesisPredeploys(CHAIN_ID, { upgrade })
  const hashes = Object.fromEntries(contracts.map(({ name, code }) => [name, keccak256(code)]))

  expect(hashes).toMatchObject(OP_STACK_CODE_HASHES)
  expect(Object.keys(OP_STACK_CODE_HASHES).filter((name) => ADDRESSES.has(name))).toEqual([])
})

let evm: EVM

/** An EVM on the genesis state of the main network. */
beforeEach(async () => {
  evm = await createEVM({
    common: createCustomCommon({ chainId: Number(CHAIN_ID) }, Mainnet, { hardfork: Hardfork.Prague }),
  })
  for (const [address, account] of createNetwork().genesis.alloc) {
    const key = createAddressFromString(address)
    await evm.stateManager.putAccount(key, new Account(account.nonce, account.balance))
    if (account.code.length > 0) await evm.stateManager.putCode(key, account.code)
    for (const [slot, value] of account.storage) {
      await evm.stateManager.putStorage(key, hexToBytes(slot), bigintToWord(value))
    }
  }
})

async function run(to: string, data: Hex, { from = OWNER as string, value = 0n } = {}) {
  const { execResult } = await evm.runCall({
    to: createAddressFromString(to),
    caller: createAddressFromString(from),
    origin: createAddressFromString(from),
    data: hexToBytes(data),
    value,
    block: {
      header: {
        number: BLOCK_NUMBER,
        coinbase: createAddressFromString('0x4200000000000000000000000000000000000011'),
        timestamp: TIMESTAMP,
        difficulty: 0n,
        prevRandao: new Uint8Array(32),
        gasLimit: 400_000_000n,
        baseFeePerGas: 5_000_000n,
        getBlobGasPrice: () => 1n,
      },
    },
  })
  return {
    failed: execResult.exceptionError !== undefined,
    output: bytesToHex(execResult.returnValue),
    logs: (execResult.logs ?? []).map(([address, topics, data]) => ({
      address: bytesToHex(address),
      topics: topics.map(bytesToHex) as [Hex, ...Hex[]],
      data: bytesToHex(data),
    })),
  }
}

async function call(to: string, abi: Abi, functionName: string, args: readonly unknown[] = [], from: string = OWNER) {
  const result = await run(to, encodeFunctionData({ abi, functionName, args }), { from })
  expect(result.failed).toBe(false)
  return decodeFunctionResult({ abi, functionName, data: result.output })
}

async function codeSize(address: string): Promise<number> {
  return (await evm.stateManager.getCode(createAddressFromString(address))).length
}

test('every predeploy has code, nonce 1, its own address and no ether', () => {
  const predeploys = genesisPredeploys(CHAIN_ID)
  expect(new Set(predeploys.map(({ address }) => address)).size).toBe(predeploys.length)
  expect(predeploys).toHaveLength(25)
  for (const { code, nonce, balance } of predeploys) {
    expect(code.length).toBeGreaterThan(0)
    expect(nonce).toBe(1n)
    expect(balance).toBe(0n)
  }
})

test.each(Object.entries(CODE_HASHES))('%s has the code hash of Ethereum', (name, hash) => {
  const predeploy = genesisPredeploys(CHAIN_ID).find((candidate) => candidate.name === name)!
  expect(keccak256(predeploy.code)).toBe(hash)
})

test('the history contract stores a parent hash from the system address', async () => {
  const hash = `0x${'ab'.repeat(32)}` as const
  const history = ADDRESSES.get('EIP-2935 history')!
  expect((await run(history, hash, { from: SYSTEM })).failed).toBe(false)
  const parent = bytesToHex(bigintToWord(BLOCK_NUMBER - 1n))
  expect((await run(history, parent)).output).toBe(hash)
  expect((await run(history, bytesToHex(bigintToWord(BLOCK_NUMBER)))).failed).toBe(true)
})

test('the beacon roots contract stores a root by timestamp', async () => {
  const root = `0x${'cd'.repeat(32)}` as const
  const beaconRoots = ADDRESSES.get('EIP-4788 beacon roots')!
  expect((await run(beaconRoots, root, { from: SYSTEM })).failed).toBe(false)
  expect((await run(beaconRoots, bytesToHex(bigintToWord(TIMESTAMP)))).output).toBe(root)
  expect((await run(beaconRoots, bytesToHex(bigintToWord(TIMESTAMP - 1n)))).failed).toBe(true)
})

test("the message passer has storage at block 0 and records a message under the OP stack's hash", async () => {
  const passer = ADDRESSES.get('L2ToL1MessagePasser')!
  const abi = messagePasser.abi as Abi
  expect(createNetwork().genesis.alloc.get(passer)!.storage.size).toBeGreaterThan(0)
  const nonce = (1n << 240n) | 1n
  expect(await call(passer, abi, 'messageNonce')).toBe(nonce)
  const data = encodeFunctionData({ abi, functionName: 'initiateWithdrawal', args: [OTHER, 21_000n, '0x1234'] })
  const { failed, logs } = await run(passer, data, { value: 5n })
  expect(failed).toBe(false)
  const hash = keccak256(
    encodeAbiParameters(
      ['uint256', 'address', 'address', 'uint256', 'uint256', 'bytes'].map((type) => ({ type })),
      [nonce, OWNER, OTHER, 5n, 21_000n, '0x1234'],
    ),
  )
  // The event's topic as published for L2ToL1MessagePasser.
  expect(logs[0]!.topics[0]).toBe('0x02a52367d10742d8032712c1bb8e0144ff1ec5ffda1ed7d70bb05a2744955054')
  expect(await call(passer, abi, 'sentMessages', [hash])).toBe(true)
  expect(await call(passer, abi, 'messageNonce')).toBe(nonce + 1n)
})

test('Multicall3 aggregates calls', async () => {
  const address = ADDRESSES.get('Multicall3')!
  const calls = DEMO_STOCKS.map((stock) => ({
    target: stock.address as Hex,
    allowFailure: false,
    callData: encodeFunctionData({ abi: STOCK_ABI, functionName: 'decimals' }),
  }))
  const results = (await call(address, multicall3Abi as Abi, 'aggregate3', [calls])) as { returnData: Hex }[]
  expect(results.map(({ returnData }) => Number(returnData))).toEqual([18, 6, 8, 8, 8, 8])
  expect(await call(address, parseAbi(['function getChainId() view returns (uint256)']), 'getChainId')).toBe(CHAIN_ID)
})

// Initcode that returns one STOP byte as the contract.
const INIT_CODE = '0x600160005360016000f3' as const
const SALT = `0x${'11'.repeat(32)}` as const

test.each(['DeterministicDeploymentProxy', 'SafeSingletonFactory'])(
  '%s creates at the address of CREATE2',
  async (name) => {
    const factory = ADDRESSES.get(name)!
    const expected = getContractAddress({ opcode: 'CREATE2', from: factory, salt: SALT, bytecode: INIT_CODE })
    const { output } = await run(factory, `${SALT}${INIT_CODE.slice(2)}`)
    expect(output).toBe(expected.toLowerCase())
    expect(await codeSize(expected)).toBe(1)
  },
)

test('Create2Deployer deploys to the address that it computes', async () => {
  const deployer = ADDRESSES.get('Create2Deployer')!
  const abi = parseAbi([
    'function deploy(uint256 value, bytes32 salt, bytes code)',
    'function computeAddress(bytes32 salt, bytes32 codeHash) view returns (address)',
  ])
  const expected = getContractAddress({ opcode: 'CREATE2', from: deployer, salt: SALT, bytecode: INIT_CODE })
  expect(await call(deployer, abi, 'computeAddress', [SALT, keccak256(INIT_CODE)])).toBe(expected)
  await call(deployer, abi, 'deploy', [0n, SALT, INIT_CODE])
  expect(await codeSize(expected)).toBe(1)
})

test("Permit2 signs for this chain, and its immutables are mainnet's for chain id 1", async () => {
  const address = ADDRESSES.get('Permit2')!
  const separator = (chainId: bigint) =>
    hashDomain({
      domain: { name: 'Permit2', chainId, verifyingContract: address },
      types: {
        EIP712Domain: [
          { name: 'name', type: 'string' },
          { name: 'chainId', type: 'uint256' },
          { name: 'verifyingContract', type: 'address' },
        ],
      },
    })
  const abi = parseAbi(['function DOMAIN_SEPARATOR() view returns (bytes32)'])
  expect(await call(address, abi, 'DOMAIN_SEPARATOR')).toBe(separator(CHAIN_ID))
  const codeOn = (chainId: bigint) => genesisPredeploys(chainId).find(({ name }) => name === 'Permit2')!.code
  expect(bytesToHex(codeOn(CHAIN_ID))).toContain(separator(CHAIN_ID).slice(2))
  // DOMAIN_SEPARATOR() of Permit2 on Ethereum and the hash of its code there.
  expect(bytesToHex(codeOn(1n))).toContain('866a5aba21966af95d6c7ab78eb2b2fc913915c28be3b9aa07cc04ff903e3f28')
  expect(keccak256(codeOn(1n))).toBe('0xc67d1657868aa5146eaf24fb879fb1fdec3d2d493b3683a61c9c2f4fb2851131')
})

test('WETH9 wraps and unwraps', async () => {
  const weth = ADDRESSES.get('WETH9')!
  const abi = weth9.abi as Abi
  expect(await call(weth, abi, 'symbol')).toBe('WETH')
  expect((await run(weth, '0x', { value: 7n })).failed).toBe(false)
  expect(await call(weth, abi, 'balanceOf', [OWNER])).toBe(7n)
  await call(weth, abi, 'transfer', [OTHER, 2n])
  await call(weth, abi, 'withdraw', [4n])
  expect(await call(weth, abi, 'balanceOf', [OWNER])).toBe(1n)
  expect(await call(weth, abi, 'balanceOf', [OTHER])).toBe(2n)
  expect(await call(weth, abi, 'totalSupply')).toBe(3n)
  const tooMuch = encodeFunctionData({ abi, functionName: 'withdraw', args: [2n] })
  expect((await run(weth, tooMuch)).failed).toBe(true)
})

describe.each(DEMO_STOCKS)('demonstration stock $symbol', (stock) => {
  const read = (functionName: string, args: readonly unknown[] = []) =>
    call(stock.address, STOCK_ABI, functionName, args)

  test('returns its definition from its getters', async () => {
    expect(await read('name')).toBe(stock.name)
    expect(await read('symbol')).toBe(stock.symbol)
    expect(await read('decimals')).toBe(stock.decimals)
    expect(await read('multiplier')).toBe(stock.multiplier)
    expect(await read('newUIMultiplier')).toBe(stock.scheduled?.multiplier ?? stock.multiplier)
    expect(await read('effectiveAt')).toBe(stock.scheduled?.effectiveAt ?? 0n)
    expect(await read('totalSupply')).toBe(stock.totalSupply)
    expect(await read('totalSupplyUI')).toBe((stock.totalSupply * stock.multiplier) / 10n ** 18n)
    expect(await read('supplyCap')).toBe(stock.supplyCap ?? 2n ** 128n - 1n)
    expect(await read('pausedFeatures')).toEqual(stock.pausedFeatures ?? [])
    expect(await read('extraMetadata', ['isin'])).toBe(stock.isin)
    expect(await read('balanceOf', [OWNER])).toBe(stock.totalSupply)
    expect(await read('balanceOf', [OTHER])).toBe(0n)
  })

  test('gives every role to its owner and none to others', async () => {
    const roles = [...STOCK_ROLES, `0x${'00'.repeat(32)}`]
    for (const role of roles) {
      expect(await read('hasRole', [role, OWNER])).toBe(true)
      expect(await read('hasRole', [role, OTHER])).toBe(false)
    }
  })

  test('has an ISIN with a valid check digit (ISO 6166)', () => {
    const digits = [...stock.isin].map((character) => Number.parseInt(character, 36)).join('')
    const sum = [...digits].reverse().reduce((total, digit, position) => {
      const value = Number(digit) * (position % 2 === 0 ? 1 : 2)
      return total + (value > 9 ? value - 9 : value)
    }, 0)
    expect(stock.isin).toMatch(/^ZZ[0-9A-Z]{9}[0-9]$/)
    expect(sum % 10).toBe(0)
  })
})

test('the factory lists the demonstration stocks', async () => {
  const factory = ADDRESSES.get('StockFactory')!
  const abi = stockFactory.abi as Abi
  expect(await call(factory, abi, 'stockCount')).toBe(BigInt(DEMO_STOCKS.length))
  const listed = (await call(factory, abi, 'stocksFrom', [0n, 100n])) as string[]
  expect(listed.map((address) => address.toLowerCase())).toEqual(DEMO_STOCKS.map(({ address }) => address))
})

test('each demonstration stock has a price feed that only the owner updates', async () => {
  for (const { symbol, priceFeed } of DEMO_STOCKS) {
    const feed = priceFeed.address
    const abi = priceFeedArtifact.abi as Abi
    const at = GENESIS_TIMESTAMP
    expect(await call(feed, abi, 'latestRoundData')).toEqual([1n, priceFeed.answer, at, at, 1n])
    expect(await call(feed, abi, 'decimals')).toBe(8)
    expect(await call(feed, abi, 'description')).toBe(`${symbol} / USD`)
    expect(((await call(feed, abi, 'owner')) as string).toLowerCase()).toBe(DEMO_STOCK_OWNER)
    const update = encodeFunctionData({ abi, functionName: 'updateAnswer', args: [1n] })
    expect((await run(feed, update, { from: OTHER })).failed).toBe(true)
    expect((await run(feed, update, { from: OWNER })).failed).toBe(false)
    expect(await call(feed, abi, 'latestRoundData')).toEqual([2n, 1n, TIMESTAMP, TIMESTAMP, 2n])
  }
})

test('the demonstration stocks cover the cases that a client has to handle', () => {
  expect(DEMO_STOCKS.map(({ decimals }) => decimals)).toEqual([18, 6, 8, 8, 8, 8])
  expect(DEMO_STOCKS.map(({ multiplier }) => multiplier)).toContain(2n * 10n ** 18n)
  expect(DEMO_STOCKS.filter(({ pausedFeatures }) => pausedFeatures !== undefined)).toHaveLength(1)
  expect(DEMO_STOCKS.filter(({ supplyCap }) => supplyCap !== undefined)).toHaveLength(1)
  expect(DEMO_STOCKS.filter(({ scheduled }) => scheduled !== undefined)).toHaveLength(1)
})
