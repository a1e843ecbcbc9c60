// viem's clients of a node, and deployments through factories that every chain has in block 0.
import {
  concatHex,
  createWalletClient,
  defineChain,
  getCreate2Address,
  http,
  publicActions,
  toHex,
  zeroHash,
} from 'viem'
import { mnemonicToAccount } from 'viem/accounts'

const MNEMONIC = 'test test test test test test test test test test test junk'

/** Factories whose contracts have the same address on every chain: of most projects, and of Safe. */
export const FACTORIES = {
  common: '0x4e59b44847b379578588920cA78FbF26c0B4956C',
  safe: '0x914d7Fec6aaC8cd542e72Bca78B30650d45643d7',
}

/** A funded account of the test mnemonic, and its private key. */
export function fundedAccount(addressIndex) {
  const account = mnemonicToAccount(MNEMONIC, { addressIndex })
  return { account, privateKey: toHex(account.getHdKey().privateKey) }
}

/** A client with the actions of both of viem's clients, which sends as the first funded account. */
export async function connect(url) {
  const transport = http(url)
  const { account } = fundedAccount(0)
  const id = await createWalletClient({ transport }).getChainId()
  const nativeCurrency = { name: 'Ether', symbol: 'ETH', decimals: 18 }
  const chain = defineChain({ id, name: 'Tickertape', nativeCurrency, rpcUrls: { default: { http: [url] } } })
  return createWalletClient({ account, chain, transport }).extend(publicActions)
}

/** Deploys a contract unless it is there. @returns its address */
export async function deployOnce(client, factory, bytecode, salt = zeroHash) {
  const address = getCreate2Address({ from: factory, salt, bytecode })
  if ((await client.getCode({ address })) === undefined) {
    const hash = await client.sendTransaction({ to: factory, data: concatHex([salt, bytecode]) })
    await client.waitForTransactionReceipt({ hash })
  }
  return address
}
