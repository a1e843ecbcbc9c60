// Accounts that send ERC-20 transfers to every compared development node: the same bytes to each.
import { createHash } from 'node:crypto'
import { DEVELOPMENT_ACCOUNTS } from '../../dist/chain/accounts/development-accounts.js'
import { createAddress } from '../../dist/chain/transaction/contract-address.js'
import { signTransaction } from '../../dist/chain/transaction/transaction-codec.js'
import { bytesToHex, hexToBytes } from '../../dist/primitives/hex.js'
import { privateKeyToAddress } from '../../dist/primitives/secp256k1/secp256k1.js'
import { CHAIN_ID, transferData } from './chain-content.mjs'
import { compile } from './compile.mjs'
import { request, requestAll } from './json-rpc.mjs'

const FEES = { maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n }

/**
 * @param {number} count
 * @returns `preparation`: signed transactions that deploy the token and fund the senders, to be mined in this order;
 *   `queues(length)`: for each sender its next signed transfers
 */
export function createTokenSenders(count) {
  const deployer = { ...DEVELOPMENT_ACCOUNTS[0], nonce: 0n }
  const token = createAddress(deployer.address, 0n)
  const senders = Array.from({ length: count }, (_, index) => {
    const privateKey = new Uint8Array(createHash('sha256').update(`token sender ${index}`).digest())
    return { address: privateKeyToAddress(privateKey), privateKey, nonce: 0n }
  })
  let recipients = 0
  const newRecipient = () => `0x${(++recipients).toString(16).padStart(40, 'b')}`

  function sign(from, to, { value = 0n, data = '0x', gasLimit }) {
    const fields = { type: 2, chainId: CHAIN_ID, nonce: from.nonce++, to, value, gasLimit, accessList: [], ...FEES }
    return bytesToHex(signTransaction({ ...fields, data: hexToBytes(data) }, from.privateKey).raw)
  }
  const transfer = (from, to, amount) => sign(from, token, { data: transferData(to, amount), gasLimit: 100_000n })

  return {
    token,
    addresses: senders.map(({ address }) => address),
    preparation: [
      sign(deployer, null, { data: bytesToHex(compile('Token').init), gasLimit: 3_000_000n }),
      ...senders.flatMap(({ address }) => [
        sign(deployer, address, { value: 100n * 10n ** 18n, gasLimit: 21_000n }),
        transfer(deployer, address, 10n ** 24n),
      ]),
    ],
    queues: (length) => senders.map((sender) => Array.from({ length }, () => transfer(sender, newRecipient(), 1n))),
  }
}

/** Waits until the node has mined as many transactions of each account. */
export async function untilMined(port, addresses, counts, limitMs = 30_000) {
  const deadline = performance.now() + limitMs
  const calls = addresses.map((address) => ['eth_getTransactionCount', [address, 'latest']])
  for (;;) {
    const mined = (await requestAll(port, calls)).map(Number)
    const missing = mined.findIndex((count, index) => count < counts[index])
    if (missing === -1) return
    // Anvil leaves transactions in its pool that arrive while it mines, until it is asked to mine again.
    await request(port, 'evm_mine')
    if (performance.now() > deadline)
      throw new Error(`${mined[missing]} of ${counts[missing]} transactions of an account were mined at port ${port}`)
  }
}
