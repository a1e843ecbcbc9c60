import { expect, test } from 'vitest'
import { toAddress } from '../../primitives/hex.ts'
import { type SimulationError, simulationErrorMessage } from './simulation-error.ts'

const SENDER = toAddress('0xc000000000000000000000000000000000000000')

/** Texts of conversations recorded from go-ethereum (ethereum/execution-apis, tests/eth_simulateV1). */
test.each<[SimulationError, string]>([
  [{ code: 'BLOCK_NUMBER_ORDER', number: 144, previous: 154 }, 'block numbers must be in order: 144 <= 154'],
  [{ code: 'BLOCK_TIME_ORDER', time: 551n, previous: 552n }, 'block timestamps must be in order: 551 <= 552'],
  [
    { code: 'INVALID_OVERRIDE', error: { code: 'NOT_A_PRECOMPILE', address: SENDER } },
    'account 0xC000000000000000000000000000000000000000 is not a precompile',
  ],
  [
    {
      code: 'INVALID_TRANSACTION',
      gasLimit: 50_000_000n,
      error: { code: 'FEE_CAP_TOO_LOW', address: SENDER, maxFeePerGas: 0n, baseFee: 1n },
    },
    'err: max fee per gas less than block base fee: address 0xC000000000000000000000000000000000000000, maxFeePerGas: 0, baseFee: 1 (supplied gas 50000000)',
  ],
  [
    {
      code: 'INVALID_TRANSACTION',
      gasLimit: 50_000_000n,
      error: { code: 'INSUFFICIENT_FUNDS', address: SENDER, balance: 0n, cost: 1_000n, queuedCost: 0n },
    },
    'err: insufficient funds for gas * price + value: address 0xC000000000000000000000000000000000000000 have 0 want 1000 (supplied gas 50000000)',
  ],
  [
    {
      code: 'INVALID_TRANSACTION',
      gasLimit: 0n,
      error: { code: 'INTRINSIC_GAS_TOO_LOW', gasLimit: 0n, needed: 21_000n },
    },
    'err: intrinsic gas too low: have 0, want 21000 (supplied gas 0)',
  ],
  [{ code: 'EMPTY_INPUT' }, 'empty input'],
  [{ code: 'TOO_MANY_BLOCKS', limit: 256 }, 'too many blocks'],
])("uses go-ethereum's words: %o", (error, message) => {
  expect(simulationErrorMessage(error)).toBe(message)
})
