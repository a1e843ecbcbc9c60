import fc from 'fast-check'
import { bytesToHex, toAddress } from '../../src/primitives/hex.ts'

/** Random values of the parameters of wallets. */

const addresses = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => toAddress(bytesToHex(bytes)))
const anyBytes = fc.uint8Array({ maxLength: 40 })
const word = fc.bigInt(0n, (1n << 256n) - 1n)

export const typedDatas = fc.record({
  types: fc
    .constant(new Map([['Note', [{ name: 'text', type: 'string' }]]]))
    .map((types) => types.set('EIP712Domain', [])),
  primaryType: fc.constant('Note'),
  domain: fc.constant({}),
  message: fc.record({ text: fc.string() }),
})
export const bundles = fc.record({
  id: fc.option(fc.string(), { nil: undefined }),
  from: fc.option(addresses, { nil: undefined }),
  chainId: word,
  atomicRequired: fc.boolean(),
  calls: fc.array(fc.record({ to: addresses, data: anyBytes, value: word }, { requiredKeys: [] }), {
    minLength: 1,
    maxLength: 3,
  }),
  requiredCapabilities: fc.uniqueArray(fc.constantFrom('atomic', 'paymasterService')),
})
