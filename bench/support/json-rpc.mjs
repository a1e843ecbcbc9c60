// JSON-RPC for what is not measured: preparing a chain, looking whether an answer is right.

/** Milliseconds; a peer that needs longer for one request has failed. */
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
export async function ask(port, method, params = []) {
  const answer = await post(port, { jsonrpc: '2.0', id: 1, method, params })
  if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message}`)
  return answer.result
}

/** One batch; results in the order of the calls. */
export async function askAll(port, calls) {
  const answers = await post(
    port,
    calls.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params })),
  )
  if (!Array.isArray(answers)) throw new Error(`a batch was refused: ${answers.error?.message}`)
  const failed = answers.find(({ error }) => error !== undefined)
  if (failed !== undefined) throw new Error(`${calls[failed.id]?.[0]}: ${failed.error.message}`)
  return answers.sort((a, b) => a.id - b.id).map(({ result }) => result)
}
