import { type Abi, encodeErrorResult } from 'viem'
import { describe, expect, test } from 'vitest'
import stockFactory from '../../../chain/predeploys/stock-factory.json' with { type: 'json' }
import stockProxy from '../../../chain/predeploys/stock-proxy.json' with { type: 'json' }
import stockToken from '../../../chain/predeploys/stock-token.json' with { type: 'json' }
import { decodeRevert } from './contracts.ts'
import { explainRevert } from './refusals.ts'

type AbiError = Extract<Abi[number], { type: 'error' }>

const ABI = [...stockToken.abi, ...stockFactory.abi, ...stockProxy.abi] as Abi
const ERRORS = ABI.filter((item): item is AbiError => item.type === 'error')
const UNIT = { symbol: 'TESTd', decimals: 6 }

/** Errors of functions that no command calls; `announce --call` shows them by name. */
const UNEXPLAINED = new Set([
  'AccessControlBadConfirmation',
  'AccountNotBlocked',
  'AlreadyInitialized',
  'EmptyBatch',
  'ExpiredSignature',
  'InsufficientAllowance',
  'InvalidApprover',
  'InvalidSigner',
  'InvalidSpender',
  'InvalidVariant',
  'LastAdminCannotRenounce',
  'LengthMismatch',
  'NotSoleAdmin',
  'UnsupportedVersion',
])

const EXAMPLES: Readonly<Record<string, unknown>> = {
  address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  bytes32: `0x${'12'.repeat(32)}`,
  bytes: '0x1234',
  string: 'text',
  uint8: 1,
  uint64: 3n,
  uint256: 1_500_000n,
}

function example(error: AbiError) {
  const args = error.inputs.map(({ type }) => EXAMPLES[type])
  const data = encodeErrorResult({ abi: [error], errorName: error.name, args })
  return { data, args, text: explainRevert(decodeRevert(data), data, UNIT) }
}

describe('an error of the contracts', () => {
  test.each(ERRORS.map((error) => [error.name, error] as const))(
    '%s is decoded to its name and arguments',
    (_, error) => {
      const { data, args } = example(error)
      const decoded = decodeRevert(data)!
      expect(decoded.name).toBe(error.name)
      expect(Object.keys(decoded.args)).toEqual(error.inputs.map(({ name }) => name))
      // Encoded by the codec of another library, and compared as text, since the case of addresses and the types of
      // small numbers differ.
      const shown = (values: readonly unknown[]) => values.map((value) => String(value).toLowerCase())
      expect(shown(Object.values(decoded.args))).toEqual(shown(args))
    },
  )

  test.each(ERRORS.map((error) => [error.name, error] as const))(
    '%s has an explanation that contains its name',
    (name, error) => {
      const { text } = example(error)
      if (UNEXPLAINED.has(name)) expect(text).toBe(`the contract refuses (${text.slice(text.indexOf('(') + 1, -1)})`)
      else expect(text).not.toMatch(/^the contract refuses/)
      expect(text).toContain(name)
      expect(text).not.toContain('undefined')
    },
  )
})

test.each([
  ['Error', 'not today', 'not today (Error('],
  ['Panic', 0x11n, 'the contract is defective here: panic: '],
] as const)('explains a plain %s', (name, value, expected) => {
  const type = name === 'Error' ? 'string' : 'uint256'
  const abi = [{ type: 'error', name, inputs: [{ name: 'value', type }] }] as const
  const data = encodeErrorResult({ abi: abi as Abi, errorName: name, args: [value] })
  expect(explainRevert(decodeRevert(data), data, UNIT)).toContain(expected)
})

test.each(['0x', '0x12', '0x12345678', '0xe2517d3f', '0xfd8c4245ff'])('shows unknown revert data %s', (data) => {
  const text = explainRevert(decodeRevert(data as `0x${string}`), data as `0x${string}`, UNIT)
  expect(text).toContain(data === '0x' ? 'without a reason' : `with ${data}`)
})
