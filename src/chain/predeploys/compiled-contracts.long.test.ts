import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const SCRIPT = fileURLToPath(new URL('../../../scripts/compile-contracts.mjs', import.meta.url))

test('compiles the contracts to the committed artifacts', { timeout: 60_000 }, () => {
  const output = execFileSync(process.execPath, [SCRIPT, '--check'], { encoding: 'utf8' })
  expect(output.trim().split('\n')).toEqual([
    'same bytes: src/rpc/wallet/batch-executor.json',
    'same bytes: src/chain/b20/activation-registry.json',
    'same bytes: src/chain/b20/b20-asset.json',
    'same bytes: src/chain/b20/b20-factory.json',
    'same bytes: src/chain/b20/b20-stablecoin.json',
    'same bytes: src/chain/b20/policy-registry.json',
    'same bytes: src/chain/predeploys/l2-to-l1-message-passer.json',
    'same bytes: src/chain/predeploys/op-stack/base-time.json',
    'same bytes: src/chain/predeploys/op-stack/gas-price-oracle.json',
    'same bytes: src/chain/predeploys/op-stack/l1-block.json',
    'same bytes: src/chain/predeploys/op-stack/predeploy-proxy.json',
    'same bytes: src/chain/predeploys/op-stack/fee-vault.json',
    'same bytes: src/chain/predeploys/op-stack/sequencer-fee-vault.json',
    'same bytes: src/chain/predeploys/op-stack/l1-block-number.json',
    'same bytes: src/chain/predeploys/op-stack/l2-cross-domain-messenger.json',
    'same bytes: src/chain/predeploys/op-stack/l2-to-l1-message-passer.json',
    'same bytes: src/chain/predeploys/op-stack/l2-standard-bridge.json',
    'same bytes: src/chain/predeploys/op-stack/operator-fee-vault.json',
    'same bytes: src/chain/predeploys/op-stack/proxy-admin.json',
    'same bytes: src/chain/predeploys/op-stack/weth.json',
    'same bytes: src/chain/predeploys/oracle-registry.json',
    'same bytes: src/chain/predeploys/price-feed.json',
    'same bytes: src/chain/predeploys/stock-factory.json',
    'same bytes: src/chain/predeploys/stock-market.json',
    'same bytes: src/chain/predeploys/stock-proxy.json',
    'same bytes: src/chain/predeploys/stock-token.json',
    'same bytes: src/chain/predeploys/weth9.json',
    'same bytes: test/clients/contracts/ledger.json',
    'same bytes: src/live/names/contract-abis.json',
  ])
})
