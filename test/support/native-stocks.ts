import { encodeFunctionData, type Hex } from 'viem'
import { B20_FACTORY_ADDRESS } from '../../src/chain/b20/addresses.ts'
import b20Factory from '../../src/chain/b20/b20-factory.json' with { type: 'json' }
import { layer2RulesOf } from '../../src/chain/forks/layer2-rules.ts'
import { GENESIS_TIMESTAMP } from '../../src/chain/genesis/networks.ts'
import { DEMO_STOCK_OWNER, DEMO_STOCKS } from '../../src/chain/predeploys/demo-stocks.ts'
import { activationRegistry } from '../../src/chain/predeploys/genesis-tokens.ts'
import { createEngine } from '../../src/engine/session/create-engine.ts'
import { bytesToHex, hexToBytes } from '../../src/primitives/hex.ts'
import { bigintToHash } from '../../src/primitives/quantity.ts'
import { StateOverlay } from '../../src/state/overlay.ts'
import { callTo, ENV, executed, LAYER_2, NO_CHECKS, stateOf } from './engine-fixture.ts'
import { assetParams } from './stock-chain.ts'
import { initCallsOf } from './stock-deployment.ts'

/** Creates the demonstration stocks as native tokens. Returns the storage by account, in the format of the file. */
export async function createNativeStocks(): Promise<string> {
  const state = new StateOverlay(stateOf({}))
  const { address, code, storage } = activationRegistry(DEMO_STOCK_OWNER)
  state.setAccount(address, { nonce: 0n, balance: 0n, codeHash: state.setCode(address, code) })
  for (const [slot, value] of storage) state.setStorage(address, slot, value)
  const env = {
    ...ENV,
    number: 0,
    timestamp: GENESIS_TIMESTAMP,
    fork: 'osaka',
    layer2: layer2RulesOf('denim'),
  } as const
  const session = createEngine({ config: LAYER_2 }).open(env, state)
  for (const [index, stock] of DEMO_STOCKS.entries()) {
    const { name, symbol, decimals } = stock
    const params = assetParams({ name, symbol, decimals, admin: DEMO_STOCK_OWNER as Hex })
    const args = [0, bigintToHash(BigInt(index + 1)), params, initCallsOf(stock)]
    const data = hexToBytes(encodeFunctionData({ abi: b20Factory.abi, functionName: 'createB20', args }))
    const call = callTo(B20_FACTORY_ADDRESS, { from: DEMO_STOCK_OWNER, data, gasLimit: 16_000_000n })
    const { status, output } = executed(await session.call(call, NO_CHECKS))
    if (status !== 'success') throw new Error(`${symbol} was refused: ${bytesToHex(output)}`)
  }
  const accounts = [...session.takeDiff().storage].map(([account, slots]) => {
    const sorted = [...slots].sort(([one], [other]) => (one < other ? -1 : 1))
    return [account, Object.fromEntries(sorted.map(([slot, value]) => [slot, `0x${value.toString(16)}`]))] as const
  })
  session.close()
  accounts.sort(([one], [other]) => (one < other ? -1 : 1))
  return `${JSON.stringify(Object.fromEntries(accounts), null, 2)}\n`
}
