import { expect, test } from 'vitest'
import { fixtureBuild, fixtureContract } from '../../../test/debugger/solidity-fixtures.ts'
import type { Bytes } from '../../primitives/hex.ts'
import type { TraceFrame } from '../trace/step-trace.ts'
import { type ContractSources, codesOfFrames } from './frame-code.ts'

const build = fixtureBuild()
const pool = fixtureContract(build, 'Pool')
const NO_BYTES: Bytes = new Uint8Array(0)

const addressOf = (index: number) => `0x${index.toString(16).padStart(40, '0')}`

function frameOf(index: number, members: Partial<TraceFrame> = {}): TraceFrame {
  const steps = { firstStep: index, endStep: index + 1, depth: 0 }
  const data = { input: NO_BYTES, output: NO_BYTES, value: 0n, gas: 0, gasUsed: 0 }
  return { index, type: 'CALL', from: addressOf(0), to: addressOf(index), ...steps, ...data, ...members }
}

const sourcesOf = (members: Partial<ContractSources>): ContractSources => ({
  built: [],
  verified: async () => undefined,
  code: async () => NO_BYTES,
  ...members,
})

test('looks up at most a hundred accounts, four at a time', async () => {
  let open = 0
  let most = 0
  const asked: string[] = []
  const verified = async (address: string) => {
    asked.push(address)
    most = Math.max(most, ++open)
    await Promise.resolve()
    open--
    return pool
  }
  const frames = Array.from({ length: 150 }, (_, index) => frameOf(index + 1))

  const codes = await codesOfFrames({ frames }, sourcesOf({ verified }))

  expect({ most, asked: asked.length }).toEqual({ most: 4, asked: 100 })
  expect(codes.filter((code) => code !== undefined)).toHaveLength(100)
})

test('an account whose sources cannot be read is without them, and others have theirs', async () => {
  const failed: string[] = []
  const verified = async (address: string) => {
    if (address === addressOf(1)) throw new Error('no answer')
    return pool
  }
  const onFailure = (address: string) => failed.push(address)

  const codes = await codesOfFrames({ frames: [frameOf(1), frameOf(2)] }, sourcesOf({ verified, onFailure }))

  expect(codes.map((code) => code?.contract.id)).toEqual([undefined, pool.id])
  expect(failed).toEqual([addressOf(1)])
})

test('the output of a failed creation is not code', async () => {
  const asked: string[] = []
  const code = async (address: string) => {
    asked.push(address)
    return NO_BYTES
  }
  const creation = frameOf(1, { type: 'CREATE', output: Uint8Array.of(1, 2), error: 'execution reverted' })

  await codesOfFrames({ frames: [creation, frameOf(2, { to: addressOf(1) })] }, sourcesOf({ code }))

  expect(asked).toEqual([addressOf(1)])
})
