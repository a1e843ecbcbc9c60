import fc from 'fast-check'
import { encodeFunctionData, parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { DEVELOPMENT_ACCOUNTS } from '../../src/chain/accounts/development-accounts.ts'
import { DEMO_STOCKS, NATIVE_DEMO_STOCKS } from '../../src/chain/predeploys/demo-stocks.ts'
import { createAddress } from '../../src/chain/transaction/contract-address.ts'
import { formatDecimal } from '../../src/primitives/decimal.ts'
import { type Address, hexToBytes, toAddress } from '../../src/primitives/hex.ts'
import { SupplyProofError, verifySupply } from '../../src/rest/supply-proof/verify-supply.ts'
import { type ManualServer, startManualServer } from '../support/manual-server.ts'
import { propertyRuns } from '../support/runs.ts'

const STOCK = parseAbi(['function mint(address, uint256)', 'function updateMultiplier(uint256)'])
const OWNER = DEVELOPMENT_ACCOUNTS[0]!.address
const RUNS = propertyRuns(1_000)
const TOKENS_PER_BLOCK = 10

/** A token with its values in slots of its own. */
interface Token {
  readonly supply: bigint
  readonly decimals: number
  /** `undefined`: the contract lacks the function. */
  readonly multiplier: bigint | undefined
  readonly slots: readonly [bigint, bigint, bigint]
  /** Whether it is a proxy (EIP-1167) of an implementation with the same slots. */
  readonly isProxy: boolean
}

const WORD = fc.bigInt(0n, 2n ** 256n - 1n)
const TOKEN: fc.Arbitrary<Token> = fc.record({
  supply: fc.oneof(WORD, fc.constantFrom(0n, 1n, 10n ** 18n, 2n ** 256n - 1n)),
  decimals: fc.integer({ min: 0, max: 255 }),
  multiplier: fc.option(fc.bigInt(1n, 2n ** 128n), { nil: undefined }),
  slots: fc.uniqueArray(WORD, { minLength: 3, maxLength: 3 }) as unknown as fc.Arbitrary<[bigint, bigint, bigint]>,
  isProxy: fc.boolean(),
})

const word = (value: bigint) => value.toString(16).padStart(64, '0')
const short = (value: number) => value.toString(16).padStart(4, '0')

/** Returns a slot for each selector that it knows, and reverts for all others. */
function runtimeOf({ slots, multiplier }: Token): string {
  const selectors = ['18160ddd', '313ce567', ...(multiplier === undefined ? [] : ['1b3ed722'])]
  const start = 5 + selectors.length * 11 + 3
  const branches = selectors.map((selector, index) => `8063${selector}1461${short(start + index * 41)}57`)
  const returns = selectors.map((_, index) => `5b7f${word(slots[index]!)}545f5260205ff3`)
  return `5f3560e01c${branches.join('')}5f5ffd${returns.join('')}`
}

/** Init code that fills the slots and returns a runtime. */
function initCodeOf({ supply, decimals, multiplier = 0n, slots }: Token, runtime: string): Uint8Array {
  const values = [supply, BigInt(decimals), multiplier]
  const stores = values.map((value, index) => `7f${word(value)}7f${word(slots[index]!)}55`).join('')
  const copied = `61${short(runtime.length / 2)}8061${short(stores.length / 2 + 11)}5f395ff3`
  return hexToBytes(`0x${stores}${copied}${runtime}`)
}

let server: ManualServer
let nonce = 0n

beforeAll(async () => {
  server = await startManualServer()
  await server.nextBlock()
})
afterAll(() => server.stop())

async function deploy(token: Token): Promise<Address> {
  const create = async (runtime: string) => {
    const data = initCodeOf(token, runtime)
    await server.send({ nonce, to: null, value: 0n, data, gasLimit: 1_000_000n })
    nonce += 1n
    return createAddress(OWNER, nonce - 1n)
  }
  const implementation = await create(runtimeOf(token))
  if (!token.isProxy) return implementation
  return create(`363d3d373d3d3d363d73${implementation.slice(2)}5af43d82803e903d91602b57fd5bf3`)
}

// biome-ignore lint/suspicious/noExplicitAny: tests change any part of it.
async function proofOf(name: string, query = '', { url }: Pick<ManualServer, 'url'> = server): Promise<any> {
  const response = await fetch(`${url}/v1/tokenized-stocks/${name}/supply-proof${query}`)
  const body = await response.json()
  expect(response.status, JSON.stringify(body)).toBe(200)
  return body
}

const latestHash = ({ node }: Pick<ManualServer, 'node'> = server) => node.view().head.pending.block.header.parentHash
/** Rules of the test chain. */
const RULES = { chainId: 31_337n, fork: 'osaka', upgrade: undefined }

/** A place in a JSON document. */
type Place = readonly (string | number)[]

function placesOf(value: unknown, place: Place = []): Place[] {
  if (typeof value !== 'object' || value === null) return [place]
  const members = Object.entries(value).flatMap(([name, member]) =>
    placesOf(member, [...place, Array.isArray(value) ? Number(name) : name]),
  )
  return [...(place.length === 0 ? [] : [place]), ...members]
}

/** A copy with one place changed, or without it. */
function changed(document: unknown, place: Place, isRemoved: boolean, at: number): unknown {
  const copy = structuredClone(document)
  // biome-ignore lint/suspicious/noExplicitAny: any place of the document.
  const parent = place.slice(0, -1).reduce((value: any, name) => value[name], copy)
  const last = place.at(-1)!
  const value = parent[last]
  if (isRemoved || typeof value === 'object') {
    if (Array.isArray(parent)) parent.splice(Number(last), 1)
    else delete parent[last]
  } else if (typeof value === 'number') parent[last] = 2 * value + 1
  else parent[last] = withOtherDigit(value, at)
  return copy
}

function withOtherDigit(text: string, at: number): string {
  const start = text.startsWith('0x') ? 2 : 0
  if (text.length === start) return `${text}00`
  const index = start + (at % (text.length - start))
  return text.slice(0, index) + (text[index] === '1' ? '2' : '1') + text.slice(index + 1)
}

describe('a supply proof', () => {
  test('shows supply, decimals and multiplier of random tokens and proxies', { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(TOKEN, { minLength: TOKENS_PER_BLOCK, maxLength: TOKENS_PER_BLOCK }),
        async (tokens) => {
          const addresses: Address[] = []
          for (const token of tokens) addresses.push(await deploy(token))
          await server.nextBlock()
          for (const [index, { supply, decimals, multiplier = 10n ** 18n }] of tokens.entries()) {
            const verified = await verifySupply(await proofOf(addresses[index]!), {
              trustedHash: latestHash(),
              rules: RULES,
            })
            expect(verified).toMatchObject({
              contractAddress: addresses[index],
              totalSupply: formatDecimal(supply, decimals),
              decimals,
              multiplier: formatDecimal(multiplier, 18),
              blockHash: latestHash(),
            })
          }
        },
      ),
      { numRuns: Math.ceil(RUNS / TOKENS_PER_BLOCK), endOnFailure: true },
    )
  })

  test('does not verify once any part of it was changed', { timeout: 300_000 }, async () => {
    const trustedHash = latestHash()
    const proofs = await Promise.all(DEMO_STOCKS.map(({ symbol }) => proofOf(symbol)))
    const tampered = fc
      .constantFrom(...proofs)
      .chain((proof) =>
        fc.tuple(fc.constant(proof), fc.constantFrom(...placesOf(proof)), fc.boolean(), fc.nat(100_000)),
      )
      .map(([proof, place, isRemoved, at]) => ({ place, document: changed(proof, place, isRemoved, at) }))
    await fc.assert(
      fc.asyncProperty(tampered, async ({ place, document }) => {
        const outcome = await verifySupply(document, { trustedHash, rules: RULES }).catch((error: unknown) => error)
        expect(outcome, place.join('.')).toBeInstanceOf(SupplyProofError)
      }),
      { numRuns: RUNS, endOnFailure: true },
    )
  })

  test('verifies at an earlier block by symbol and ISIN, with the values of that block', async () => {
    const number = server.node.view().head.pending.block.header.number - 1
    const byNumber = await proofOf('QLBKFd', `?block=${number - 1}`)
    const byIsin = await proofOf(DEMO_STOCKS[2]!.isin, `?block=${byNumber.block.hash}`)

    expect(byIsin).toEqual(byNumber)
    expect(await verifySupply(byNumber, { trustedHash: byNumber.block.hash })).toMatchObject({
      totalSupply: '400000',
      multiplier: '2',
      blockNumber: number - 1,
    })
  })

  test('is refused for another block and for other rules', async () => {
    const proof = await proofOf('HLCYNd')
    const other = `0x${'ab'.repeat(32)}`

    await expect(verifySupply(proof, { trustedHash: other })).rejects.toMatchObject({ code: 'WRONG_BLOCK' })
    const rules = { chainId: 1n }
    await expect(verifySupply(proof, { trustedHash: latestHash(), rules })).rejects.toMatchObject({
      code: 'WRONG_RULES',
    })
    for (const document of [undefined, null, [], {}, 'proof', { ...proof, accounts: 1 }]) {
      const outcome = verifySupply(document, { trustedHash: latestHash() })
      await expect(outcome).rejects.toMatchObject({ code: 'INVALID_SUPPLY_PROOF' })
    }
  })

  test('shows random supplies and multipliers of native tokens (B20), and none that was changed', async () => {
    const native = await startManualServer({}, { network: { upgrade: 'denim' } })
    onTestFinished(() => native.stop())
    const { address, decimals, totalSupply } = NATIVE_DEMO_STOCKS[0]!
    const rules = { chainId: 31_337n, upgrade: 'denim' } as const
    let sent = 0n
    let supply = totalSupply
    const call = async (functionName: 'mint' | 'updateMultiplier', ...args: readonly unknown[]) => {
      const data = hexToBytes(encodeFunctionData({ abi: STOCK, functionName, args: args as never }))
      await native.send({ nonce: sent, to: toAddress(address), value: 0n, data, gasLimit: 500_000n })
      sent += 1n
    }
    const amount = fc.bigInt(1n, 10n ** 24n)
    const cases = fc.tuple(amount, fc.bigInt(1n, 2n ** 128n - 1n), fc.nat(100_000), fc.nat(100_000))
    await fc.assert(
      fc.asyncProperty(cases, async ([units, multiplier, nth, at]) => {
        await call('mint', OWNER, units)
        await call('updateMultiplier', multiplier)
        await native.nextBlock()
        await native.nextBlock()
        supply += units
        const trustedHash = latestHash(native)
        const proof = await proofOf(address, '', native)

        expect(await verifySupply(proof, { trustedHash, rules })).toMatchObject({
          totalSupply: formatDecimal(supply, decimals),
          multiplier: formatDecimal(multiplier, 18),
        })
        const places = placesOf(proof)
        const tampered = changed(proof, places[nth % places.length]!, false, at)
        const outcome = await verifySupply(tampered, { trustedHash, rules }).catch((error: unknown) => error)
        expect(outcome).toBeInstanceOf(SupplyProofError)
      }),
      { numRuns: Math.ceil(RUNS / 5), endOnFailure: true },
    )
  })

  test.each([
    ['HLCYNd/supply-proof?block=pending', 400, 3, 'open block'],
    ['NONEd/supply-proof', 404, 5, 'no listed token'],
    [`0x${'12'.repeat(20)}/supply-proof`, 404, 5, 'no token at'],
    ['HLCYNd/supply-proof?block=99999', 404, 5, 'no block'],
  ])('of %s answers %i', async (path, status, code, text) => {
    const response = await fetch(`${server.url}/v1/tokenized-stocks/${path}`)

    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ code, message: expect.stringContaining(text) })
  })
})
