import {
  type Abi,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  parseAbiParameters,
  stringToHex,
} from 'viem'
import { GENESIS_TIMESTAMP } from '../../src/chain/genesis/networks.ts'
import {
  DEMO_STOCK_OWNER,
  DEMO_STOCKS,
  type DemoStock,
  ORACLE_REGISTRY_ADDRESS,
  STOCK_MARKET_ADDRESS,
} from '../../src/chain/predeploys/demo-stocks.ts'
import oracleRegistry from '../../src/chain/predeploys/oracle-registry.json' with { type: 'json' }
import priceFeed from '../../src/chain/predeploys/price-feed.json' with { type: 'json' }
import { STOCK_FACTORY_ADDRESS, STOCK_IMPLEMENTATION_ADDRESS } from '../../src/chain/predeploys/stock-contracts.ts'
import stockFactory from '../../src/chain/predeploys/stock-factory.json' with { type: 'json' }
import stockMarket from '../../src/chain/predeploys/stock-market.json' with { type: 'json' }
import stockProxy from '../../src/chain/predeploys/stock-proxy.json' with { type: 'json' }
import stockToken from '../../src/chain/predeploys/stock-token.json' with { type: 'json' }
import type { Session } from '../../src/engine/types.ts'
import { type Address, type Bytes, bytesToHex, hexToBytes, type Slot, toAddress } from '../../src/primitives/hex.ts'
import { callTo, executed, NO_CHECKS, openSession } from './engine-fixture.ts'

export const STOCK_TOKEN_ABI = stockToken.abi as Abi
export const STOCK_FACTORY_ABI = stockFactory.abi as Abi

/** All roles except the admin role, which creation grants. */
export const STOCK_ROLES = ['MINT', 'BURN', 'BURN_BLOCKED', 'SEIZE', 'PAUSE', 'UNPAUSE', 'METADATA', 'OPERATOR'].map(
  (role) => keccak256(stringToHex(`${role}_ROLE`)),
)

interface Contract {
  readonly code: Bytes
  readonly storage: Map<Slot, bigint>
}

/**
 * Runs the genesis deployment in the engine: code and storage of every contract in the format of the committed file.
 */
export async function deployStocks(): Promise<string> {
  const contracts = new Map<Address, Contract>()
  const implementation = encodeAbiParameters([{ type: 'address' }], [STOCK_IMPLEMENTATION_ADDRESS])
  contracts.set(STOCK_IMPLEMENTATION_ADDRESS, await construct(stockToken.bytecode))
  const stocks = DEMO_STOCKS.map(({ address }) => toAddress(address))
  contracts.set(
    STOCK_FACTORY_ADDRESS,
    await construct(
      stockFactory.bytecode,
      encodeAbiParameters([{ type: 'address' }, { type: 'address[]' }], [STOCK_IMPLEMENTATION_ADDRESS, stocks]),
    ),
  )
  for (const address of stocks) contracts.set(address, await construct(stockProxy.bytecode, implementation))
  const owner = encodeAbiParameters([{ type: 'address' }], [DEMO_STOCK_OWNER])
  contracts.set(ORACLE_REGISTRY_ADDRESS, await construct(oracleRegistry.bytecode, owner))
  contracts.set(STOCK_MARKET_ADDRESS, await construct(stockMarket.bytecode, owner))
  for (const stock of DEMO_STOCKS) contracts.set(toAddress(stock.priceFeed.address), await constructFeed(stock))
  await initialize(contracts)
  const file = [...contracts].map(([address, { code, storage }]) => {
    const slots = [...storage].sort(([one], [other]) => (one < other ? -1 : 1))
    const words = slots.map(([slot, value]) => [slot, `0x${value.toString(16)}`])
    return [address, { code: bytesToHex(code), storage: Object.fromEntries(words) }]
  })
  return `${JSON.stringify(Object.fromEntries(file), null, 2)}\n`
}

function genesisSession(code: Readonly<Record<Address, string>> = {}): Session {
  return openSession({ code, env: { number: 0, timestamp: GENESIS_TIMESTAMP } })
}

/** Runs a constructor at a temporary address: no contract stores its own address. @returns code and storage */
async function construct(bytecode: string, parameters: Hex = '0x'): Promise<Contract> {
  const session = genesisSession()
  const data = hexToBytes(`${bytecode}${parameters.slice(2)}`)
  const { status, contractAddress } = executed(
    await session.call(callTo(null, { data, gasLimit: 16_000_000n }), NO_CHECKS),
  )
  if (status !== 'success' || contractAddress === null) throw new Error('a constructor failed')
  const { accounts, code, storage } = session.takeDiff()
  session.close()
  return {
    code: code.get(accounts.get(contractAddress)!.account!.codeHash)!,
    storage: new Map(storage.get(contractAddress)),
  }
}

function constructFeed({ symbol, address, multiplier, priceFeed: { answer } }: DemoStock): Promise<Contract> {
  const parameters = encodeAbiParameters(
    parseAbiParameters('address owner, address token, address market, address registry, string, int256[2]'),
    [
      DEMO_STOCK_OWNER,
      toAddress(address),
      STOCK_MARKET_ADDRESS,
      ORACLE_REGISTRY_ADDRESS,
      `${symbol} / USD`,
      [(answer * 10n ** 18n) / multiplier, answer],
    ],
  )
  return construct(priceFeed.bytecode, parameters)
}

/** Calls `initialize` of every demonstration stock, as the factory would in a creation. */
async function initialize(contracts: Map<Address, Contract>): Promise<void> {
  const codes = [...contracts].map(([address, { code }]) => [address, bytesToHex(code)])
  const session = genesisSession(Object.fromEntries(codes))
  for (const stock of DEMO_STOCKS) {
    const args = [stock.name, stock.symbol, stock.decimals, DEMO_STOCK_OWNER, initCallsOf(stock)]
    const data = hexToBytes(encodeFunctionData({ abi: STOCK_TOKEN_ABI, functionName: 'initialize', args }))
    const call = callTo(toAddress(stock.address), { from: STOCK_FACTORY_ADDRESS, data, gasLimit: 16_000_000n })
    const { status, output } = executed(await session.call(call, NO_CHECKS))
    if (status !== 'success') throw new Error(`${stock.symbol} was refused: ${bytesToHex(output)}`)
  }
  for (const [address, slots] of session.takeDiff().storage) {
    for (const [slot, value] of slots) contracts.get(address)!.storage.set(slot, value)
  }
  session.close()
}

/** The calls that make a new token this stock. Pauses come last, because they apply to later calls. */
export function initCallsOf(stock: DemoStock): Hex[] {
  const { isin, totalSupply, supplyCap, multiplier, scheduled, pausedFeatures } = stock
  return [
    ...STOCK_ROLES.map((role) => encode('grantRole', [role, DEMO_STOCK_OWNER])),
    encode('updateExtraMetadata', ['isin', isin]),
    ...(supplyCap === undefined ? [] : [encode('updateSupplyCap', [supplyCap])]),
    encode('mint', [DEMO_STOCK_OWNER, totalSupply]),
    ...(multiplier === 10n ** 18n ? [] : [encode('updateMultiplier', [multiplier])]),
    ...(scheduled === undefined ? [] : [encode('updateUIMultiplier', [scheduled.multiplier, scheduled.effectiveAt])]),
    ...(pausedFeatures === undefined ? [] : [encode('pause', [pausedFeatures])]),
  ]
}

function encode(functionName: string, args: readonly unknown[]): Hex {
  return encodeFunctionData({ abi: STOCK_TOKEN_ABI, functionName, args })
}
