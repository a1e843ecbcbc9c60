import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { createClient, custom, publicActions, testActions, walletActions } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { EXAMPLES } from '../../../test/support/method-examples.ts'
import { asyncFunction, builtReference, examplesIn, textOf } from '../../../test/support/reference-page.ts'
import { ROUTES } from '../../rest/routes/routes.ts'
import { RPC_METHODS } from '../../rpc/methods/all-methods.ts'
import type { Json } from '../../rpc/protocol/json.ts'
import type { Namespaces } from '../../rpc/protocol/namespaces.ts'
import { MethodSet } from '../../rpc/registry/method-set.ts'
import { exampleOf } from '../../rpc/registry/open-rpc.ts'
import { schemaName } from '../../rpc/schemas/schema-names.ts'
import { ON_SOCKETS, typeText } from './method-entry.ts'
import { viemCall } from './viem-call.ts'

/** The methods of a development node. @param namespaces as `--http-api` selects them */
const methodsOf = (namespaces: Namespaces) =>
  new MethodSet(RPC_METHODS, { dialect: 'base', namespaces, flag: '--http-api', development: true }).descriptions
const METHODS = methodsOf('all')

describe('the reference page', () => {
  let page: string
  beforeAll(async () => {
    page = (await builtReference(METHODS)).body
  })

  test('has an entry with examples for every route and for every method of the node', () => {
    const examples = examplesIn(page)

    for (const { path } of ROUTES) {
      expect([...(examples.get(`get-${path}`)?.keys() ?? [])], path).toEqual(['curl', 'fetch'])
    }
    for (const { name, params } of METHODS) {
      expect(examples.get(name)?.has('viem'), name).toBe(true)
      for (const { name: parameter } of params) expect(page, name).toContain(`<code>${parameter}</code>`)
    }
    expect(METHODS.length).toBeGreaterThan(150)
  })

  test('has only REST where no methods are served', async () => {
    const { body } = await builtReference()

    expect(body).toContain('id="get-/v1/tokenized-stocks"')
    expect(body).not.toMatch(/data-rpc=|id="json-rpc"/)
  })

  test.each([
    ['all', 'all'],
    ['hardhat and eth', ['hardhat', 'eth']],
    ['net', ['net']],
  ] as const)('of %s namespaces leads only to places that it has, and each place once', async (_, namespaces) => {
    const page = (await builtReference(methodsOf(namespaces))).body
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => textOf(id!))
    const targets = [...page.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => decodeURI(textOf(id!)))

    expect(new Set(ids).size).toBe(ids.length)
    expect(targets.filter((target) => !ids.includes(target))).toEqual([])
  })

  test('describes the result of an alias where the method that it names is not served', async () => {
    const { body } = await builtReference(methodsOf(['hardhat', 'eth']))
    const entry = / id="hardhat_setBalance"[\s\S]*?<\/section>/

    expect(entry.exec(body)![0]).toMatch(/<p>Result: [\s\S]*Example answer/)
    expect(entry.exec(page)![0]).toMatch(/Another name of <a href="#anvil_setBalance">/)
    expect(entry.exec(page)![0]).not.toContain('Result: ')
  })

  test('describes subscriptions only where they can be made', async () => {
    const { body } = await builtReference(methodsOf(['net']))

    expect(page).toContain('id="subscriptions"')
    expect(body).not.toContain('id="subscriptions"')
  })

  test('runs its own script and no other, and is at most 64 kB compressed', async () => {
    const { headers, body } = await builtReference(METHODS)
    const policy = headers!['content-security-policy']!
    const hashOf = (tag: string) => {
      const [, text] = new RegExp(`<${tag}[^>]*>([\\s\\S]{1000,}?)</${tag}>`).exec(body) ?? []
      return createHash('sha256').update(text!).digest('base64')
    }

    expect(policy).toContain(`script-src 'sha256-${hashOf('script')}';`)
    expect(policy).toContain(`style-src 'sha256-${hashOf('style')}';`)
    expect(policy).toContain("default-src 'none';")
    expect(policy).not.toContain('unsafe')
    expect(body).not.toMatch(/ (?:src|style|on\w+)="/)
    expect(gzipSync(body).length).toBeLessThan(64_000)
  })

  test('names a type as docs/rpc.md does, and leads to the objects that it describes', () => {
    const objects = new Set(['log'])

    expect(schemaName({ type: 'array', items: { title: 'log' } })).toBe('array of log')
    expect(typeText({ type: 'array', items: { title: 'log' } }, { objects })).toBe(
      'array of <a href="#object-log">log</a>',
    )
    expect(typeText({ title: 'block' }, { objects })).toBe('block')
  })
})

describe('the viem call', () => {
  const own = METHODS.filter(({ name, development }) => development?.aliasOf === undefined && !ON_SOCKETS.has(name))

  test.each(own.map((method) => [method.name, method] as const))('of %s sends its example', async (name, method) => {
    const { params, result } = exampleOf(method, EXAMPLES)
    const sent: { readonly method: string; readonly params: readonly Json[] }[] = []
    const transport = custom({
      async request(request: { method: string; params?: Json[] }) {
        sent.push({ method: request.method, params: request.params ?? [] })
        return request.method === name ? result : null
      },
    })
    const client = createClient({ transport })
      .extend(publicActions)
      .extend(walletActions)
      .extend(testActions({ mode: 'anvil' }))

    const run = asyncFunction(['client'], viemCall(name, params))
    // The example of a method that refuses has no result to decode.
    await run(client).catch((error: unknown) => {
      if (result !== undefined && result !== null) throw error
    })

    const request = sent.find((one) => one.method === name)
    expect(request, JSON.stringify(sent)).toBeDefined()
    // viem adds the defaults of the last parameters.
    expect(inOneForm(request!.params.slice(0, params.length))).toEqual(inOneForm(params))
  })
})

/** Parameters without the freedom that viem takes: `data`, hex, JSON texts, and what stands for nothing. */
function inOneForm(params: readonly Json[]): unknown {
  return JSON.parse(JSON.stringify(params).replaceAll('"input":', '"data":'), (name, value: unknown) => {
    if (name === 'EIP712Domain' || (name === 'topics' && Array.isArray(value) && value.length === 0)) return undefined
    if (typeof value === 'number') return `0x${value.toString(16)}`
    if (typeof value !== 'string') return value
    return value.startsWith('{') ? (inOneForm([JSON.parse(value)]) as unknown[])[0] : value.toLowerCase()
  })
}
