// Requests through Prism, which compares each request and response with the document.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { freePort } from '../../bench/support/peers.mjs'
import { toolCommand } from './packages.mjs'

const LIST = '/v1/tokenized-stocks'
const SUPPLY = `${LIST}/total-supply/0x5700000000000000000000000000000000000002`
/** Requests and the status that the node answers; Prism answers 500 or 422 when either side violates the document. */
const EXPECTED = [
  [LIST, 200],
  [`${LIST}?exact=true`, 200],
  [`${LIST}?block=pending&exact=false&utm_source=mail`, 200],
  [`${LIST}?block=0xffffff`, 404],
  [`${LIST}/chains`, 200],
  [SUPPLY, 200],
  [`${SUPPLY}?exact=true`, 200],
  [`${SUPPLY}/exact`, 200],
  [`${SUPPLY}/exact?block=pending`, 200],
  [`${LIST}/total-supply/0x${'99'.repeat(20)}`, 404],
  [`${LIST}?blok=pending`, 400],
  ['/v1/openapi.json', 200],
  ['/docs', 200],
]

/** Starts the proxy in front of a node. @returns differences, if there are any */
export async function problemsOfProxy({ folder, url }) {
  const port = await freePort()
  const { file, args, options } = toolCommand(folder, 'prism', [
    'proxy',
    'openapi.json',
    url,
    '--errors',
    '--port',
    `${port}`,
  ])
  const proxy = spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(proxy, 'exit')
  const output = []
  try {
    const lines = createInterface({ input: proxy.stdout })
    const listening = new Promise((resolve) => {
      lines.on('line', (line) => {
        output.push(line)
        if (line.includes('Prism is listening')) resolve(true)
      })
    })
    if ((await Promise.race([listening, exited])) !== true) return output.join('\n')
    const problems = []
    for (const [path, expected] of EXPECTED)
      problems.push(...(await problemOf(`http://127.0.0.1:${port}`, path, expected)))
    return problems.length === 0 ? undefined : problems.join('\n')
  } finally {
    proxy.kill('SIGTERM')
    await exited
  }
}

async function problemOf(proxyUrl, path, expected) {
  const response = await fetch(proxyUrl + path)
  const body = await response.text()
  const violations = response.headers.get('sl-violations')
  if (response.status === expected && violations === null) return []
  return [`GET ${path}: expected ${expected}, got ${response.status} ${violations ?? body.slice(0, 400)}`]
}
