import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createNetwork } from '../../src/chain/genesis/networks.ts'
import { STOCK_FACTORY_ADDRESS } from '../../src/chain/predeploys/stock-contracts.ts'
import { bytesToHex, hexToBytes, toAddress } from '../../src/primitives/hex.ts'
import { bigintToHash } from '../../src/primitives/quantity.ts'
import type { Registry } from '../../src/rest/tokenized-stocks/registry.ts'
import { MULTICALL } from '../../src/rest/upstream/read-plan.ts'
import { type JsonRpcClient, jsonRpcClient } from '../support/json-rpc-client.ts'
import { type ManualServer, startManualServer } from '../support/manual-server.ts'
import { type StandaloneService, standaloneService } from '../support/standalone-service.ts'
import { encodeCall } from '../support/stock-chain.ts'
import { signTransfer } from '../support/transfers.ts'

interface Peer {
  readonly port: number
  stop(): Promise<void>
}

/** Anvil as installed for the benchmarks. */
const peers: { installedPeers(): { anvil: boolean }; startAnvil(options: { gasLimit: bigint }): Promise<Peer> } =
  await import(new URL('../../bench/support/peers.mjs', import.meta.url).href)
const hasAnvil = peers.installedPeers().anvil
if (!hasAnvil)
  process.stderr.write('\nSKIPPED: Anvil is not there to be compared with; `npm run bench:peers` installs it\n')

const { alloc } = createNetwork().genesis
const OWNER = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const STOCK = toAddress('0x5700000000000000000000000000000000000001')
const NOBODY = toAddress(`0x${'99'.repeat(20)}`)
const registry: Registry = {
  tokens: [STOCK, NOBODY].map((address) => {
    return { address, chainId: undefined, symbol: 'REG', name: 'n', isin: 'i', iconUrl: '', navFeed: undefined }
  }),
  lists: 'registeredAndDiscovered',
  digest: 'anvil',
}
const LIST = '/v1/tokenized-stocks'
const ADDRESSES = [...alloc.keys()].filter((address) => address.startsWith('0x5700')).concat(NOBODY, MULTICALL)
const TARGETS = ['latest', 'pending', '0x1'].flatMap((block) =>
  [`${LIST}?block=${block}`, `${LIST}?exact=true&block=${block}`].concat(
    ADDRESSES.map((address) => `${LIST}/total-supply/${address}?block=${block}`),
  ),
)

describe.skipIf(!hasAnvil)('in front of Anvil and in front of our node', () => {
  let anvil: Peer
  let anvilRpc: JsonRpcClient
  let ours: ManualServer
  let services: readonly StandaloneService[]

  beforeAll(async () => {
    ours = await startManualServer()
    anvil = await peers.startAnvil({ gasLimit: 30_000_000n })
    const anvilUrl = `http://127.0.0.1:${anvil.port}`
    anvilRpc = jsonRpcClient(anvilUrl)
    await load([...alloc.keys()].filter((address) => address !== MULTICALL))
    await seal()
    services = [ours.url, anvilUrl].map((url) =>
      standaloneService({ url, factory: STOCK_FACTORY_ADDRESS, registry: () => registry }),
    )
  })
  afterAll(async () => {
    await anvil.stop()
    await ours.stop()
  })

  /** Accounts of the genesis, set at Anvil's newest block. */
  async function load(addresses: Iterable<string>): Promise<void> {
    for (const address of addresses) {
      const { code, storage } = alloc.get(toAddress(address))!
      if (code.length === 0) continue
      await anvilRpc.result('anvil_setCode', address, bytesToHex(code))
      for (const [slot, value] of storage)
        await anvilRpc.result('anvil_setStorageAt', address, slot, bigintToHash(value))
    }
  }

  async function seal(): Promise<void> {
    await ours.nextBlock()
    await anvilRpc.result('evm_mine')
  }

  async function expectSame(): Promise<void> {
    for (const target of TARGETS) {
      const [one, other] = await Promise.all(services.map((service) => service.get(target)))
      expect({ target, status: one!.status, body: one!.body }).toEqual({
        target,
        status: other!.status,
        body: other!.body,
      })
    }
  }

  test('bodies are identical while one of them has no Multicall3', async () => {
    expect(await anvilRpc.result('eth_getCode', MULTICALL, 'latest')).toBe('0x')
    await expectSame()
    expect(JSON.parse(String((await services[1]!.get(LIST)).body)).tokens).toHaveLength(6)
  })

  test('bodies are identical after a change, with Multicall3 at both', async () => {
    await load([MULTICALL])
    // The service looks for Multicall3 again after a hundred blocks.
    await anvilRpc.result('anvil_mine', '0xc8')
    const data = hexToBytes(encodeCall('mint', [OWNER, 123_456_789_000_000_001n]))
    const nonce = 0n
    const { raw } = signTransfer({ nonce, to: STOCK, value: 0n, data, gasLimit: 500_000n })
    for (const rpc of [ours, anvilRpc]) await rpc.result('eth_sendRawTransaction', bytesToHex(raw))
    await seal()
    services[1]!.sent()
    await expectSame()
    expect((await services[1]!.get(`${LIST}/total-supply/${STOCK}/exact`)).body).toBe('"1000000.123456789000000001"')
    const list = services[1]!.sent().find((methods) => methods.includes('eth_call'))!
    expect(list.filter((method) => method === 'eth_call')).toHaveLength(1)
  })
})
