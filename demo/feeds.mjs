import { encodeEventTopics, pad, parseAbiItem } from 'viem'
import { toNumber } from './network.mjs'
import { subscribe } from './subscription.mjs'

export const TRANSFER = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)')

/**
 * The subscriptions of the demonstration, on one WebSocket.
 *
 * @param recipient whose incoming token transfers are wanted of pendingLogs
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

/** When newFlashblockTransactions told of the transaction, in milliseconds. */
export async function preConfirmedAt({ transactions }, hash) {
  const { at } = await transactions.first((data) => data === hash, `the flashblock with transaction ${hash}`)
  return at
}

/** The message of newHeads that brought the block, or the first one after it. */
export function sealed({ heads }, blockNumber) {
  return heads.first(({ number }) => toNumber(number) >= blockNumber, `block ${blockNumber} to be sealed`)
}

/**
 * The updates of the pending block: the opening of a block changes nothing in it and comes with the end of the last.
 *
 * @returns the time of each, in milliseconds
 */
export function updateTimes({ flashblocks: { messages } }) {
  return messages
    .filter(({ data }, index) => index > 0 && data.number === messages[index - 1].data.number)
    .map(({ at }) => at)
}
