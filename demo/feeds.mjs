import { encodeEventTopics, pad, parseAbiItem } from 'viem'
import { toNumber } from './network.mjs'
import { subscribe } from './subscription.mjs'

export const TRANSFER = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)')

/**
 * Opens the subscriptions of the demonstration on one WebSocket.
 *
 * @param recipient recipient of the token transfers in pendingLogs
 */
export async function openFeeds(socket, recipient) {
  const [topic] = encodeEventTopics({ abi: [TRANSFER] })
  return {
    flashblocks: await subscribe(socket, ['newFlashblocks']),
    transactions: await subscribe(socket, ['newFlashblockTransactions']),
    logs: await subscribe(socket, ['pendingLogs', { topics: [topic, null, pad(recipient.toLowerCase())] }]),
    heads: await subscribe(socket, ['newHeads']),
  }
}

/** The time at which newFlashblockTransactions reported the transaction, in milliseconds. */
export async function preConfirmedAt({ transactions }, hash) {
  const { at } = await transactions.first((data) => data === hash, `the flashblock with transaction ${hash}`)
  return at
}

/** The newHeads message of the block, or of the first one after it. */
export function sealed({ heads }, blockNumber) {
  return heads.first(({ number }) => toNumber(number) >= blockNumber, `block ${blockNumber} to be sealed`)
}

/**
 * Times of updates of the pending block. The flashblock that opens a block coincides with the last one before.
 *
 * @returns milliseconds
 */
export function updateTimes({ flashblocks: { messages } }) {
  return messages
    .filter(({ data }, index) => index > 0 && data.number === messages[index - 1].data.number)
    .map(({ at }) => at)
}
