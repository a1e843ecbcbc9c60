import { decodeAbiParameters, type Hex, toFunctionSelector } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { expect, onTestFinished, test } from 'vitest'
import { jsonRpcClient } from '../../test/support/json-rpc-client.ts'
import { startNode } from '../../test/support/running-node.ts'
import { DEVELOPMENT_ACCOUNTS } from '../chain/accounts/development-accounts.ts'
import { ACTIVATION_REGISTRY_ADDRESS } from '../chain/b20/addresses.ts'
import { ZERO_ADDRESS } from '../primitives/hex.ts'

const MNEMONIC = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
/** The admin of the ActivationRegistry on Base. */
const BASE_ADMIN = '0xce3a3bee7e72e2a24079f3c0cb3b97740ed425a9'
const PROXY_ADMIN = predeploy('18')
const VAULTS = ['11', '19', '1a', '1b'].map(predeploy)

function predeploy(lastByte: string): string {
  return `0x${'42'.padEnd(38, '0')}${lastByte}`
}

/** The accounts with rights over contracts of block 0 on a node with these flags. */
async function ownersWith(flags: Parameters<typeof startNode>[0]) {
  const { urls, close } = await startNode({ profile: 'denim', ...flags })
  onTestFinished(() => close())
  const client = jsonRpcClient(urls.rpc)
  const addressOf = async (to: string, signature: string) => {
    const data = toFunctionSelector(`function ${signature}`)
    const output = (await client.result('eth_call', { to, data }, '0x0')) as Hex
    return decodeAbiParameters([{ type: 'address' }], output)[0].toLowerCase()
  }
  return {
    proxyAdmin: await addressOf(PROXY_ADMIN, 'owner()'),
    vaults: await Promise.all(VAULTS.map((vault) => addressOf(vault, 'RECIPIENT()'))),
    registry: await addressOf(ACTIVATION_REGISTRY_ADDRESS, 'admin()'),
  }
}

test.each([
  ['the first account of --mnemonic', { mnemonic: MNEMONIC }, mnemonicToAccount(MNEMONIC).address.toLowerCase()],
  ['development account 0 by default', {}, DEVELOPMENT_ACCOUNTS[0]!.address],
])('the contracts of block 0 belong to %s', async (_name, flags, owner) => {
  const owners = await ownersWith(flags)

  expect(owners).toEqual({ proxyAdmin: owner, vaults: VAULTS.map(() => owner), registry: owner })
})

test('the contracts of block 0 belong to no account of the network with --accounts 0', async () => {
  const owners = await ownersWith({ accounts: 0 })

  expect(owners).toEqual({ proxyAdmin: ZERO_ADDRESS, vaults: VAULTS.map(() => ZERO_ADDRESS), registry: BASE_ADMIN })
})
