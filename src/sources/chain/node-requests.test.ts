import { expect, test } from 'vitest'
import { type Address, hexToBytes } from '../../primitives/hex.ts'
import { deploymentOf, type NodeRequest } from './node-requests.ts'

const ADDRESS = `0x${'aa'.repeat(20)}` as Address
const HASH = `0x${'bb'.repeat(32)}`
const CREATION = { type: 'CREATE2', to: ADDRESS }
const HONEST = { ...CREATION, input: '0x01', output: '0xfe01' }
const MALICIOUS = { ...CREATION, input: '0x02', output: '0xfe02' }

/** A chain with one transaction. */
function tracing(calls: readonly object[]): NodeRequest {
  const answers: Readonly<Record<string, unknown>> = {
    ots_getContractCreator: { hash: HASH },
    eth_getTransactionByHash: { hash: HASH, from: ADDRESS, blockNumber: '0x1', transactionIndex: '0x0' },
    debug_traceTransaction: { type: 'CALL', input: '0x', calls },
  }
  return async (method) => answers[method]
}

async function creationCode(calls: readonly object[], code: string) {
  return (await deploymentOf(tracing(calls), { address: ADDRESS, code: hexToBytes(code) }))?.creationCode
}

test('a creation within a reverted call does not count', async () => {
  const reverted = { type: 'CALL', input: '0x', error: 'execution reverted', calls: [HONEST] }

  expect(await creationCode([reverted, MALICIOUS], '0xfe02')).toBe('0x02')
  expect(await creationCode([reverted], '0xfe01')).toBeUndefined()
})

test('the last of two creations counts', async () => {
  expect(await creationCode([HONEST, { type: 'CALL', input: '0x', calls: [MALICIOUS] }], '0xfe02')).toBe('0x02')
})

test('a creation that returned other code than that of the account does not count', async () => {
  expect(await creationCode([HONEST], '0xfe02')).toBeUndefined()
})
