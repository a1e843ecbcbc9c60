/** A chain with contracts, accounts and blocks, and transactions on top of it. */
import { privateKeyToAccount } from 'viem/accounts'

export const DEVELOPMENT_KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const ETHER = 10n ** 18n
const GAS_PRICE = 20n * 10n ** 9n

/** Copies the code after its 12 bytes. */
const initCode = (code) =>
  `0x60${(code.length / 2).toString(16).padStart(2, '0')}600c60003960${(code.length / 2).toString(16).padStart(2, '0')}6000f3${code}`
/** Adds 1 to slot 0, and logs and returns the sum. */
const COUNTER = '6000546001018060005560005260206000a060206000f3'
/** A token whose calldata is `to, amount`: balances by address, a log with the topic `to`. */
const TOKEN = '6020358033540333556000358054820181559060005260206000a100'
/**
 * Its calldata is `address, number`: logs and returns the sum of the balance, code size and code hash of the address,
 * and the hash of the block.
 */
const READER = '6000358031813b01813f01602035400160005260206000a060206000f3'

const word = (value) => BigInt(value).toString(16).padStart(64, '0')
const addressOf = (index) => `0x${(0xacc0000000n + BigInt(index)).toString(16).padStart(40, '0')}`

/** Accounts with keys that are not those of the node. */
export const SENDERS = Array.from({ length: 20 }, (_, index) => privateKeyToAccount(`0x${word(1_000_000 + index)}`))

/**
 * Fills a node that mines on request.
 *
 * @param {{ accounts: number, blocks: number }} size
 */
export async function populate(node, chainId, { accounts, blocks }) {
  const developer = privateKeyToAccount(DEVELOPMENT_KEY)
  let nonce = 0
  const send = async (fields) => {
    const raw = await sign(developer, chainId, { nonce: nonce++, gas: 500_000n, ...fields })
    return ['eth_sendRawTransaction', raw]
  }
  const deployed = [
    await send({ data: initCode(COUNTER) }),
    await send({ data: initCode(TOKEN) }),
    await send({ data: initCode(READER) }),
  ]
  const hashes = ok(await node.batch(deployed))
  await node.call('evm_mine')
  const receipts = ok(await node.batch(hashes.map((hash) => ['eth_getTransactionReceipt', hash])))
  const [counter, token, reader] = receipts.map(({ contractAddress }) => contractAddress)
  const funded = await Promise.all(
    SENDERS.map(({ address }) => send({ to: address, value: 100n * ETHER, gas: 21_000n })),
  )
  ok(await node.batch(funded))
  await node.call('evm_mine')
  const perBlock = Math.ceil(accounts / blocks)
  for (let block = 2, next = 0; block < blocks; block++) {
    const requests = []
    for (let count = 0; count < perBlock && next < accounts; count++, next++) {
      requests.push(await send({ to: addressOf(next), value: BigInt(next + 1), gas: 21_000n }))
    }
    requests.push(
      await send({ to: counter }),
      await send({ to: token, data: `0x${word(addressOf(block))}${word(block)}` }),
    )
    ok(await node.batch(requests))
    await node.call('evm_mine')
  }
  return { counter, token, reader }
}

/** Raw transactions after block `head` that read and write what the chain has, and create contracts. */
export async function transactions(chainId, { counter, token, reader }, { count, random, head }) {
  const nonces = SENDERS.map(() => 0)
  const raws = []
  for (let index = 0; index < count; index++) {
    const sender = Math.floor(random() * SENDERS.length)
    const other = addressOf(Math.floor(random() * 6_000))
    const amount = Math.floor(random() * 3)
    const fields = [
      { to: other, value: BigInt(amount) },
      { to: counter },
      { to: token, data: `0x${word(other)}${word(amount)}` },
      { to: token, data: `0x${word(addressOf(Math.floor(random() * 500)))}${word(amount)}` },
      { to: reader, data: `0x${word(other)}${word(Math.max(0, head - Math.floor(random() * 50)))}` },
      { data: initCode(COUNTER) },
      // Reverts: the code jumps nowhere.
      { data: '0x56' },
    ][Math.floor(random() * 7)]
    raws.push(await sign(SENDERS[sender], chainId, { nonce: nonces[sender]++, gas: 300_000n, ...fields }))
  }
  return raws
}

function sign(account, chainId, fields) {
  const fees = { maxFeePerGas: GAS_PRICE, maxPriorityFeePerGas: 1_000_000n }
  return account.signTransaction({ type: 'eip1559', chainId, ...fees, ...fields })
}

/** Kinds of random reads of the state after a block. Hashes of blocks are those of `head` and below. */
function stateReads({ counter, token, reader }, { random, head, from, to }) {
  const numberAt = () => from + Math.floor(random() * (to - from + 1))
  const blockAt = () => `0x${numberAt().toString(16)}`
  const account = () =>
    [addressOf(Math.floor(random() * 6_000)), counter, token, SENDERS[3].address][Math.floor(random() * 4)]
  return [
    () => ['eth_getBalance', account(), blockAt()],
    () => ['eth_getTransactionCount', account(), blockAt()],
    () => ['eth_getCode', account(), blockAt()],
    () => ['eth_getStorageAt', token, `0x${word(addressOf(Math.floor(random() * 500)))}`, blockAt()],
    () => ['eth_call', { to: counter }, blockAt()],
    () => {
      const number = numberAt()
      const named = Math.max(0, Math.min(head, number - 1 - Math.floor(random() * 5)))
      return ['eth_call', { to: reader, data: `0x${word(account())}${word(named)}` }, `0x${number.toString(16)}`]
    },
  ]
}

/** Random reads of the state after blocks above `head`, where two nodes have executed the same transactions. */
export function readsAbove(contracts, { count, random, head, newest }) {
  const kinds = stateReads(contracts, { random, head, from: head + 1, to: newest })
  return Array.from({ length: count }, () => kinds[Math.floor(random() * kinds.length)]())
}

/** Random reads as of blocks up to `head`. */
export function randomReads(contracts, { count, random, head }) {
  const { counter, token } = contracts
  const blockAt = () => `0x${Math.floor(random() * (head + 1)).toString(16)}`
  const kinds = [
    ...stateReads(contracts, { random, head, from: 0, to: head }),
    () => ['eth_getBlockByNumber', blockAt(), random() < 0.5],
    () => ['eth_getBlockReceipts', blockAt()],
    () => {
      const from = Math.floor(random() * head)
      const to = Math.min(head, from + Math.floor(random() * 60))
      return [
        'eth_getLogs',
        { fromBlock: `0x${from.toString(16)}`, toBlock: `0x${to.toString(16)}`, address: [token, counter] },
      ]
    },
  ]
  return Array.from({ length: count }, () => kinds[Math.floor(random() * kinds.length)]())
}

/** The results of a batch. @throws Error for the first error */
export function ok(replies) {
  const failed = replies.find(({ error }) => error !== undefined)
  if (failed !== undefined) throw new Error(JSON.stringify(failed.error))
  return replies.map(({ result }) => result)
}
