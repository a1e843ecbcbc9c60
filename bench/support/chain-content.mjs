// The transactions of every compared node, block by block: the same bytes and therefore the same hashes.
import { createHash } from 'node:crypto'
import { DEVELOPMENT_ACCOUNTS } from '../../dist/chain/accounts/development-accounts.js'
import { createAddress } from '../../dist/chain/transaction/contract-address.js'
import { signTransaction } from '../../dist/chain/transaction/transaction-codec.js'
import { hexToBytes } from '../../dist/primitives/hex.js'
import { privateKeyToAddress } from '../../dist/primitives/secp256k1/secp256k1.js'
import { compile } from './compile.mjs'

export const CHAIN_ID = 31_337n
export const SENDERS = 64
/** Transactions of a full block. */
export const FULL_BLOCK = 200
const PER_QUIET_BLOCK = 2
const BUSY_BLOCKS = 10
const PER_BUSY_BLOCK = 500
/** Every n-th transfer comes from an account that sends nothing else. */
const RARE_EACH = 50

const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** @returns {{ address: string, privateKey: Uint8Array }[]} */
function createSenders() {
  return Array.from({ length: SENDERS }, (_, index) => {
    const privateKey = new Uint8Array(createHash('sha256').update(`bench sender ${index}`).digest())
    return { address: privateKeyToAddress(privateKey), privateKey }
  })
}

function word(hex) {
  return hex.replace('0x', '').padStart(64, '0')
}

export function transferData(to, amount) {
  return `0xa9059cbb${word(to)}${word(amount.toString(16))}`
}

export function balanceOfData(holder) {
  return `0x70a08231${word(holder)}`
}

export function addressTopic(address) {
  return `0x${word(address)}`
}

/**
 * @param {{ quietBlocks: number }} options number of blocks with two transfers before the busy ones
 * @returns `blocks`: lists of signed transactions; ranges and hashes count blocks from 1
 */
export function createChainContent({ quietBlocks }) {
  const deployer = DEVELOPMENT_ACCOUNTS[0]
  const senders = createSenders()
  const rare = senders.at(-1)
  const usual = senders.slice(0, -1)
  const nonces = new Map()
  const token = createAddress(deployer.address, 0n)
  let recipients = 0

  function sign(from, to, { value = 0n, data = '0x', gasLimit }) {
    const nonce = nonces.get(from.address) ?? 0n
    nonces.set(from.address, nonce + 1n)
    const fields = { type: 2, chainId: CHAIN_ID, nonce, to, value, data: hexToBytes(data), gasLimit, accessList: [] }
    const fees = { maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n }
    const { raw, hash } = signTransaction({ ...fields, ...fees }, from.privateKey)
    return { raw: `0x${Buffer.from(raw).toString('hex')}`, hash, bytes: raw }
  }

  const newRecipient = () => `0x${(++recipients).toString(16).padStart(40, 'b')}`
  const sendEther = (from) => sign(from, newRecipient(), { value: 1n, gasLimit: 21_000n })
  const sendToken = (from, to = newRecipient(), amount = 1n) =>
    sign(from, token, { data: transferData(to, amount), gasLimit: 100_000n })
  const senderOf = (index) => usual[index % usual.length]

  /** Signs one block of both kinds on demand: a repeated round needs new transactions. */
  function fullBlock() {
    return Array.from({ length: FULL_BLOCK }, (_, index) => (index % 2 ? sendToken : sendEther)(senderOf(index)))
  }

  const init = `0x${compile('Token').init.toString('hex')}`
  const blocks = [
    [sign(deployer, null, { data: init, gasLimit: 3_000_000n })],
    senders.flatMap(({ address }) => [
      sign(deployer, address, { value: 100n * 10n ** 18n, gasLimit: 21_000n }),
      sendToken(deployer, address, 10n ** 24n),
    ]),
  ]
  const firstQuiet = blocks.length + 1
  for (let block = 0, sent = 0; block < quietBlocks; block++) {
    const transfers = Array.from({ length: PER_QUIET_BLOCK }, () => {
      sent += 1
      return sendToken(sent % RARE_EACH === 0 ? rare : senderOf(sent))
    })
    blocks.push(transfers)
  }
  const firstBusy = blocks.length + 1
  for (let block = 0; block < BUSY_BLOCKS; block++) {
    blocks.push(Array.from({ length: PER_BUSY_BLOCK }, (_, index) => sendToken(senderOf(index))))
  }
  const full = fullBlock()
  blocks.push(full)

  return {
    blocks,
    token,
    senders,
    rare: rare.address,
    fullNumber: blocks.length,
    fullHashes: full.map(({ hash }) => hash),
    quiet: { from: firstQuiet, to: firstBusy - 1, logs: quietBlocks * PER_QUIET_BLOCK },
    rareLogs: Math.floor((quietBlocks * PER_QUIET_BLOCK) / RARE_EACH),
    busy: { from: firstBusy, to: blocks.length - 1, logs: BUSY_BLOCKS * PER_BUSY_BLOCK },
    transferTopic: TRANSFER_TOPIC,
    fullBlock,
    /** Queues of transfers by sender, in nonce order. */
    sendQueues: (total) =>
      senders.map((sender) => Array.from({ length: Math.ceil(total / SENDERS) }, () => sendToken(sender))),
  }
}
