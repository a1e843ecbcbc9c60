import { within } from './time-limit.mjs'

/** Milliseconds that a wait for a message may take: several blocks, also on a busy machine. */
const MESSAGE_LIMIT = 15_000

/**
 * A WebSocket subscription that remembers what came.
 *
 * @param socket a viem client over WebSocket
 * @param params of eth_subscribe
 */
export async function subscribe(socket, params) {
  const messages = []
  const waiting = new Set()
  let failure
  const opening = socket.transport.subscribe({
    params,
    onData({ result }) {
      const message = { at: performance.now(), data: result }
      messages.push(message)
      for (const waiter of waiting) waiter.offer(message)
    },
    onError(error) {
      failure = new Error(`the WebSocket failed: ${error?.message ?? error}`)
      for (const waiter of waiting) waiter.reject(failure)
    },
  })
  const { unsubscribe } = await within(opening, MESSAGE_LIMIT, `the answer to eth_subscribe ${params[0]}`)

  function wait(isWanted, what) {
    if (failure) return Promise.reject(failure)
    let waiter
    const message = new Promise((resolve, reject) => {
      waiter = { offer: (candidate) => isWanted(candidate.data) && resolve(candidate), reject }
      waiting.add(waiter)
    })
    return within(message, MESSAGE_LIMIT, what).finally(() => waiting.delete(waiter))
  }

  return {
    /** All so far, `{ at, data }`, with the time in milliseconds at which each came. */
    messages,
    /** The first message for which `isWanted`, be it already here or still to come. */
    async first(isWanted, what) {
      return messages.find(({ data }) => isWanted(data)) ?? wait(isWanted, what)
    },
    /** The next message to come. */
    next: (what) => wait(() => true, what),
    /** @returns the node's answer to eth_unsubscribe */
    async unsubscribe() {
      if (failure) throw failure
      const { result } = await within(unsubscribe(), MESSAGE_LIMIT, 'the answer to eth_unsubscribe')
      return result
    },
  }
}
