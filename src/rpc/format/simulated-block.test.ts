import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Header } from '../../chain/block/header.ts'
import type { CallError, SimulatedBlock, SimulatedCall } from '../../engine/simulate/simulation.ts'
import { type Address, bytesToHex, type Hash } from '../../primitives/hex.ts'
import { formatBlock } from './block.ts'
import { formatLog } from './log.ts'
import { simulatedBlockJson } from './simulated-block.ts'

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const hashes = bytes(32).map(bytesToHex) as fc.Arbitrary<Hash>
const errors: fc.Arbitrary<CallError> = fc.oneof(
  fc.record({
    kind: fc.constant('reverted' as const),
    reason: fc.option(fc.string({ unit: 'binary' }), { nil: undefined }),
  }),
  fc.record({
    kind: fc.constant('halted' as const),
    reason: fc.constantFrom('out of gas', 'invalid jump destination'),
  }),
) as fc.Arbitrary<CallError>
const blocks = fc
  .record({
    header: fc.record({
      number: fc.nat(),
      timestamp: fc.bigInt(0n, 2n ** 64n - 1n),
      parentHash: hashes,
      sha3Uncles: hashes,
      miner: bytes(20).map(bytesToHex),
      stateRoot: hashes,
      transactionsRoot: hashes,
      receiptsRoot: hashes,
      logsBloom: bytes(256),
      difficulty: fc.constant(0n),
      gasLimit: fc.bigInt(0n, 2n ** 63n),
      gasUsed: fc.nat(),
      extraData: fc.uint8Array({ maxLength: 32 }),
      mixHash: hashes,
      nonce: bytes(8),
      baseFeePerGas: fc.option(fc.bigInt(0n, 2n ** 70n), { nil: undefined }),
      withdrawalsRoot: fc.option(hashes, { nil: undefined }),
      blobGasUsed: fc.option(fc.nat(), { nil: undefined }),
      excessBlobGas: fc.option(fc.bigInt(0n, 2n ** 64n - 1n), { nil: undefined }),
      parentBeaconBlockRoot: fc.option(hashes, { nil: undefined }),
      requestsHash: fc.option(hashes, { nil: undefined }),
    }) as unknown as fc.Arbitrary<Header>,
    hash: hashes,
    size: fc.nat(),
    withdrawals: fc.option(
      fc.array(
        fc.record({
          index: fc.bigInt(0n, 2n ** 64n - 1n),
          validatorIndex: fc.bigInt(0n, 2n ** 64n - 1n),
          address: bytes(20).map(bytesToHex) as fc.Arbitrary<Address>,
          amount: fc.bigInt(0n, 2n ** 64n - 1n),
        }),
        { maxLength: 2 },
      ),
      { nil: undefined },
    ),
    calls: fc.array(
      fc.record({
        status: fc.constantFrom(0 as const, 1 as const),
        returnData: fc.uint8Array({ maxLength: 70 }),
        gasUsed: fc.nat(),
        maxUsedGas: fc.nat(),
        error: fc.option(errors, { nil: undefined }),
        logs: fc.array(
          fc.record({
            address: bytes(20).map(bytesToHex) as fc.Arbitrary<Address>,
            topics: fc.array(hashes, { maxLength: 4 }),
            data: fc.uint8Array({ maxLength: 70 }),
          }),
          { maxLength: 3 },
        ),
      }),
      { maxLength: 4 },
    ),
  })
  .map(({ header, hash, size, withdrawals, calls }): SimulatedBlock => {
    const position = {
      blockNumber: header.number,
      blockHash: hash,
      blockTimestamp: header.timestamp,
      transactionHash: hash,
    }
    return {
      header,
      hash,
      size,
      ...(withdrawals && { withdrawals }),
      transactions: [],
      uncles: [],
      calls: calls.map(({ logs, ...call }, transactionIndex) => ({
        ...call,
        logs: logs.map((log, logIndex) => ({ ...position, log, transactionIndex, logIndex })),
      })) as unknown as readonly SimulatedCall[],
    }
  })

test.each(['base', 'ethereum'] as const)(
  'property: encodes a simulated block like its parts, in dialect %s',
  (dialect) => {
    fc.assert(
      fc.property(blocks, (simulated) => {
        const text = simulatedBlockJson(simulated, { fullTransactions: false, dialect })
        const block = JSON.parse(text)
        expect(JSON.stringify(block)).toBe(text)
        expect(Object.keys(block).at(-1)).toBe('calls')
        const { calls: _, ...withoutCalls } = block
        const view = { block: simulated, receipts: [], status: 'sealed' } as const
        expect(JSON.stringify(withoutCalls)).toBe(JSON.stringify(formatBlock(view, false)))
        expect(block).toMatchObject({
          hash: simulated.hash,
          size: `0x${simulated.size.toString(16)}`,
          transactions: [],
        })
        for (const [index, call] of simulated.calls.entries()) {
          const written = block.calls[index]
          const isHidden = dialect === 'ethereum' && call.error !== undefined
          const { logs } = call
          expect(written).toMatchObject({
            status: `0x${call.status}`,
            gasUsed: `0x${call.gasUsed.toString(16)}`,
            maxUsedGas: `0x${call.maxUsedGas.toString(16)}`,
            returnData: isHidden ? '0x' : bytesToHex(call.returnData),
            logs: JSON.parse(JSON.stringify(logs.map((log) => formatLog(log)))),
          })
          expect('error' in written).toBe(call.error !== undefined)
          if (dialect === 'base' && call.error?.reason !== undefined) expect(written.error).toBe(call.error.reason)
          if (dialect === 'ethereum' && call.error)
            expect(written.error.code).toBe(call.error.kind === 'halted' ? -32015 : 3)
        }
      }),
    )
  },
)
