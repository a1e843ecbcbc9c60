// Fresh nodes for Foundry's tools.
import { once } from 'node:events'
import { startNode } from '../../scripts/support/node-process.mjs'
import { spawnProgram } from './programs.mjs'

/** Starts a node of that kind. @returns its URL and a function that ends it */
export const START = {
  preconfirmed: () => startOurs(['--latest-state', 'preconfirmed']),
  automine: () => startOurs(['--mining', 'auto', '--compat', 'anvil']),
  anvil: startAnvil,
}

async function startOurs(flags) {
  const { rpc, stop } = await startNode(['--log-level', 'error', ...flags])
  return { url: rpc, stop }
}

async function startAnvil() {
  const child = spawnProgram('anvil', ['--port', '0', '--hardfork', 'osaka'])
  let output = ''
  for await (const chunk of child.stdout) {
    output += chunk
    const address = /Listening on (\S+)/.exec(output)?.[1]
    if (address === undefined) continue
    child.stdout.resume()
    return { url: `http://${address}`, stop: () => stopped(child) }
  }
  throw new Error(`anvil ended before it listened: ${output}`)
}

async function stopped(child) {
  const exit = once(child, 'exit')
  child.kill()
  await exit
}
