// JSON-RPC for requests that are not measured: preparing a chain, checking responses.

/** Milliseconds after which a request fails. */
const LIMIT = 60_000

async function post(port, body) {
  const response = await fetch(`http://127.0.0.1:${port}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(LIMIT),
  })
  return response.json()
}

/** @throws Error with the node's own message */
export async function request(port, method, params = []) {
  const response = await post(port, { jsonrpc: '2.0', id: 1, method, params })
  if (response.error !== undefined) throw new Error(`${method}: ${response.error.message}`)
  return response.result
}

/** Sends one batch. @returns the results in the order of the calls */
export async function requestAll(port, calls) {
  const responses = await post(
    port,
    calls.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params })),
  )
  if (!Array.isArray(responses)) throw new Error(`a batch was refused: ${responses.error?.message}`)
  const failed = responses.find(({ error }) => error !== undefined)
  if (failed !== undefined) throw new Error(`${calls[failed.id]?.[0]}: ${failed.error.message}`)
  return responses.sort((a, b) => a.id - b.id).map(({ result }) => result)
}
