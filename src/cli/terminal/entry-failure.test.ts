import { toFunctionSelector } from 'viem'
import { expect, test } from 'vitest'
import type { ParityFrame, ParityTrace } from '../../engine/trace/parity-tracer.ts'
import { toAddress, ZERO_ADDRESS } from '../../primitives/hex.ts'
import type { AbiItem } from './abi-library.ts'
import { entryFailureOf } from './entry-failure.ts'

const CALLER = toAddress(`0x${'01'.padStart(40, '0')}`)
const CALLED = toAddress(`0x${'02'.padStart(40, '0')}`)
const PLAIN = { type: 'function', name: 'plain', stateMutability: 'nonpayable' }
const PAID = { type: 'function', name: 'paid', stateMutability: 'payable' }
const RECEIVE = { type: 'receive', stateMutability: 'payable' }
const FALLBACK = { type: 'fallback', stateMutability: 'nonpayable' }
const PAYABLE_FALLBACK = { type: 'fallback', stateMutability: 'payable' }

interface Sent {
  readonly input?: string
  readonly value?: bigint
  readonly kind?: ParityFrame['start']['kind']
  readonly error?: ParityFrame['end']['error']
}

function frame(path: readonly number[], { input = '', value = 0n, kind = 'CALL', error = 'execution reverted' }: Sent) {
  const to = path.length === 0 ? CALLER : CALLED
  const start = { kind, depth: path.length, from: ZERO_ADDRESS, to, input: Buffer.from(input, 'hex'), gas: 0, value }
  const end = { depth: path.length, output: new Uint8Array(0), gasUsed: 0, error }
  return { start, end, traceAddress: path, subtraces: 0 }
}

function failed(frames: readonly ParityFrame[], output = new Uint8Array(0)): ParityTrace {
  return { executed: { kind: 'executed', status: 'revert', output, gasUsed: 0, maxUsedGas: 0 } as never, frames }
}

/** The failure of a call that the caller passes on. */
function failureOf(abi: readonly AbiItem[], sent: Sent) {
  const trace = failed([frame([], { input: toFunctionSelector('plain()').slice(2) }), frame([0], sent)])
  return entryFailureOf(trace, (address) => ({ abi: address === CALLED ? abi : [PLAIN] }))
}

const UNKNOWN = 'deadbeef'
const [plain, paid] = ['plain()', 'paid()'].map((signature) => toFunctionSelector(signature).slice(2))

test.each([
  ['an unknown selector', [PLAIN, RECEIVE], { input: UNKNOWN }, { code: 'UNKNOWN_FUNCTION' }],
  ['calldata that is shorter than a selector', [PLAIN], { input: '0102' }, { code: 'UNKNOWN_FUNCTION' }],
  ['no calldata', [PLAIN], { value: 1n }, { code: 'NO_RECEIVE' }],
  ['a payment', [PLAIN], { input: plain, value: 7n }, { code: 'FUNCTION_NOT_PAYABLE', value: 7n }],
  [
    'a payment with an unknown selector',
    [FALLBACK],
    { input: UNKNOWN, value: 7n },
    { code: 'FALLBACK_NOT_PAYABLE', value: 7n, wantsReceive: false },
  ],
  [
    'a payment without calldata',
    [FALLBACK],
    { value: 7n },
    { code: 'FALLBACK_NOT_PAYABLE', value: 7n, wantsReceive: true },
  ],
] as const)('names %s that a contract does not accept', (_, abi, sent, failure) => {
  expect(failureOf(abi, sent)).toEqual(failure)
})

test.each([
  ['a function that exists', [PLAIN], { input: plain }],
  ['a payable function', [PAID], { input: paid, value: 7n }],
  ['a receive function', [PLAIN, RECEIVE], { value: 7n }],
  ['a fallback function', [FALLBACK], { input: UNKNOWN }],
  ['a payable fallback function', [PAYABLE_FALLBACK], { input: UNKNOWN, value: 7n }],
  ['a constructor', [PLAIN], { input: UNKNOWN, kind: 'CREATE' }],
  ['code that halts', [PLAIN], { input: UNKNOWN, error: 'out of gas' }],
] as const)('names no failure at the entry where %s ran', (_, abi, sent) => {
  expect(failureOf(abi, sent)).toBeUndefined()
})

test('names no failure with revert data, of an unknown contract, or of an execution that succeeded', () => {
  const frames = [frame([], { input: UNKNOWN })]
  const known = () => ({ abi: [PLAIN] })

  expect(entryFailureOf(failed(frames), known)).toEqual({ code: 'UNKNOWN_FUNCTION' })
  expect(entryFailureOf(failed(frames, Uint8Array.of(1)), known)).toBeUndefined()
  expect(entryFailureOf(failed(frames), () => undefined)).toBeUndefined()
  const succeeded = { ...failed(frames), executed: { ...failed(frames).executed, status: 'success' } } as const
  expect(entryFailureOf(succeeded, known)).toBeUndefined()
})
