import { expect, test } from 'vitest'
import { CONSOLE_ADDRESS } from '../../primitives/abi/console-address.ts'
import { bytesOfDigits } from '../bytecode/portable-bytes.ts'
import { failurePath } from './failure-path.ts'

interface Call {
  readonly name: string
  readonly to?: string
  readonly error?: string
  readonly output: Uint8Array
  readonly calls: readonly Call[]
}

const REVERTED = 'execution reverted'
const call = (name: string, error: string | undefined, data: string, calls: readonly Call[] = []): Call => ({
  name,
  ...(error !== undefined && { error }),
  output: bytesOfDigits(data)!,
  calls,
})
const reverted = (name: string, data = '', calls: readonly Call[] = []) => call(name, REVERTED, data, calls)
const succeeded = (name: string, calls: readonly Call[] = []) => call(name, undefined, '', calls)
const pathOf = (message: Call) =>
  failurePath(
    message,
    ({ calls }) => calls,
    (one) => one,
  ).map(({ name }) => name)

test.each([
  ['a message that succeeded has none, though it caught a failure', succeeded('outer', [reverted('inner')]), []],
  [
    'a caller that reverts with the data of a call passes its failure on',
    reverted('outer', '01', [reverted('inner', '01', [reverted('innermost', '01')])]),
    ['outer', 'inner', 'innermost'],
  ],
  ['a caller with data of its own is the origin', reverted('outer', '02', [reverted('inner', '01')]), ['outer']],
  [
    'a caller may pass on the failure of a call that is not its last one',
    reverted('outer', '01', [reverted('inner', '01'), succeeded('next')]),
    ['outer', 'inner'],
  ],
  [
    'without data only the last call is the cause',
    reverted('outer', '', [reverted('inner'), succeeded('next')]),
    ['outer'],
  ],
  [
    'a call that runs out of gas has no data',
    reverted('outer', '', [call('inner', 'out of gas', '')]),
    ['outer', 'inner'],
  ],
  [
    'a caller that runs out of gas itself is the origin, though it caught a revert without data before',
    call('outer', 'out of gas', '', [reverted('inner')]),
    ['outer'],
  ],
  [
    'calls of the console are no causes',
    reverted('outer', '', [reverted('inner'), { ...succeeded('log'), to: CONSOLE_ADDRESS }]),
    ['outer', 'inner'],
  ],
])('%s', (_, message, names) => {
  expect(pathOf(message)).toEqual(names)
})
