// JSON-RPC without a library: exposes raw responses, and the error of a dead node.
import { WebSocket } from 'ws'

/** Items of one batch. */
const BATCH = 50

async function post(url, body) {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  return response.json()
}

/** @returns the response with `result` or `error`. Rejects without a response. */
export function request(url, method, ...params) {
  return post(url, { jsonrpc: '2.0', id: 1, method, params })
}

/** @throws if the response is an error */
export async function result(url, method, ...params) {
  return resultOf(await request(url, method, ...params), method)
}

/** Calls one method with many parameter lists. @returns the results in order */
export async function results(url, method, lists) {
  const found = []
  for (let start = 0; start < lists.length; start += BATCH) {
    const requests = lists
      .slice(start, start + BATCH)
      .map((params, index) => ({ jsonrpc: '2.0', id: start + index, method, params }))
    for (const response of await post(url, requests)) found[response.id] = resultOf(response, method)
  }
  return found
}

function resultOf(response, method) {
  if (response.error !== undefined) throw new Error(`${method}: ${JSON.stringify(response.error)}`)
  return response.result
}

/**
 * Opens subscriptions on one connection, which ends with the node.
 *
 * @param {[params: unknown[], onMessage: (result: any) => void][]} subscriptions
 */
export function listen(url, subscriptions) {
  const socket = new WebSocket(url)
  const listeners = new Map()
  socket.on('open', () => {
    for (const [id, [params]] of subscriptions.entries()) {
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_subscribe', params }))
    }
  })
  socket.on('message', (data) => {
    const { id, result: subscription, method, params } = JSON.parse(data.toString())
    if (method === 'eth_subscription') listeners.get(params.subscription)?.(params.result)
    else listeners.set(subscription, subscriptions[id][1])
  })
  // Expected: the node was killed.
  socket.on('error', () => {})
  return new Promise((resolve) => socket.once('close', resolve))
}
