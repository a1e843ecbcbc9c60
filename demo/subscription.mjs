import { within } from './time-limit.mjs'

/** Milliseconds to wait for a message: several blocks, even on a busy machine. */
const MESSAGE_LIMIT = 15_000

/**
 * A WebSocket subscription that collects its messages.
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
  const { unsubscribe } = await within(opening, MESSAGE_LIMIT, `the response to eth_subscribe ${params[0]}`)

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
    /** All messages so far as `{ at, data }`, with the time of arrival in milliseconds. */
    messages,
    /** The first message for which `isWanted`, past or future. */
    async first(isWanted, what) {
      return messages.find(({ data }) => isWanted(data)) ?? wait(isWanted, what)
    },
    /** The next message. */
    next: (what) => wait(() => true, what),
    /** @returns the response to eth_unsubscribe */
    async unsubscribe() {
      if (failure) throw failure
      const { result } = await within(unsubscribe(), MESSAGE_LIMIT, 'the response to eth_unsubscribe')
      return result
    },
  }
}
