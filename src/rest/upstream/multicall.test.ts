import fc from 'fast-check'
import { decodeFunctionData, encodeFunctionResult, getAddress, multicall3Abi } from 'viem'
import { expect, test } from 'vitest'
import { bytesToAddress, bytesToHex, hexToBytes } from '../../primitives/hex.ts'
import { decodeAggregate, encodeAggregate } from './read-plan.ts'

const bytes = fc.uint8Array({ maxLength: 100 })
const call = fc.record({ to: fc.uint8Array({ minLength: 20, maxLength: 20 }).map(bytesToAddress), data: bytes })

test('property: viem decodes the calldata', () => {
  fc.assert(
    fc.property(fc.array(call, { maxLength: 9 }), (calls) => {
      const data = bytesToHex(encodeAggregate(calls))
      const { functionName, args } = decodeFunctionData({ abi: multicall3Abi, data })
      expect(functionName).toBe('aggregate3')
      expect(args![0]).toEqual(
        calls.map(({ to, data }) => ({ target: getAddress(to), allowFailure: true, callData: bytesToHex(data) })),
      )
    }),
  )
})

const results = fc.array(fc.record({ success: fc.boolean(), returnData: bytes.map(bytesToHex) }), { maxLength: 9 })

test('property: decodes results that viem encoded', () => {
  fc.assert(
    fc.property(results, (result) => {
      const output = hexToBytes(encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result }))
      const expected = result.map(({ success, returnData }) => (success ? returnData : undefined))
      expect(decodeAggregate(output, result.length)?.map((one) => one && bytesToHex(one))).toEqual(expected)
      expect(decodeAggregate(output, result.length + 1)).toBeUndefined()
    }),
  )
})

test('property: rejects truncated and arbitrary bytes without throwing', () => {
  const valid = results.map((result) => ({
    result,
    output: hexToBytes(encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result })),
  }))
  fc.assert(
    fc.property(valid, fc.nat(), ({ result, output }, end) => {
      if (result.length === 0) return
      // Only the padding of the last item may be missing.
      const cut = output.subarray(0, Math.min(end % output.length, output.length - 32))
      decodeAggregate(cut, result.length)
      expect(decodeAggregate(output.subarray(0, 64), result.length)).toBeUndefined()
    }),
  )
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), fc.nat(9), (data, count) => void decodeAggregate(data, count)),
  )
})
