import type { StudioNode } from './studio-node.ts'

/**
 * Verifies the sources of a contract on a node, and waits for the end of the verification.
 *
 * @throws when they do not match
 */
export async function verifySource(
  node: StudioNode,
  address: string,
  { input, version, contract }: { readonly input: object; readonly version: string; readonly contract: string },
): Promise<void> {
  const chainId = Number(await node.request('eth_chainId'))
  const { verificationId } = await json(node, `verify/${chainId}/${address}`, {
    stdJsonInput: input,
    compilerVersion: version,
    contractIdentifier: contract,
  })
  for (;;) {
    // Waits up to ten seconds.
    const { isJobCompleted, error } = await json(node, `verify/${verificationId}`)
    if (error !== undefined) throw new Error(`${contract} cannot be verified: ${JSON.stringify(error)}`)
    if (isJobCompleted === true) return
  }
}

async function json(node: StudioNode, path: string, body?: object): Promise<Record<string, unknown>> {
  const headers = { 'content-type': 'application/json' }
  const init = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) }
  return (await (await fetch(`${node.url}/verify/sourcify/v2/${path}`, init)).json()) as Record<string, unknown>
}
