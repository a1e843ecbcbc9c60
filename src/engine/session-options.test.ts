import { describe, expect, it } from 'vitest'
import {
  address,
  callTo,
  executed,
  LAYER_2,
  NO_CHECKS,
  openSession,
  SENDER,
} from '../../test/support/engine-fixture.ts'
import { FORKS } from '../chain/forks/forks.ts'
import type { Log } from '../chain/receipt/log.ts'
import { type Address, bytesToHex, hexToBytes, toAddress } from '../primitives/hex.ts'
import { bytesToBigint } from '../primitives/quantity.ts'
import { createEngine } from './session/create-engine.ts'

const A = address(0xa1)
const B = address(0xb1)
const C = address(0xc1)
const D = address(0xd1)
const IDENTITY = address(4)

function call(opcode: string, to: Address, value?: number): string {
  const amount = value === undefined ? '' : `60${value.toString(16).padStart(2, '0')}`
  return `5f5f5f5f${amount}73${to.slice(2)}5a${opcode}50`
}

function log(size: number): string {
  return `60${size.toString(16).padStart(2, '0')}5fa0`
}

function described({ address: emitter, topics, data }: Log): string {
  if (emitter !== `0x${'ee'.repeat(20)}`) return `${emitter} ${data.length} bytes`
  expect(topics[0]).toBe('0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef')
  return `${toAddress(`0x${topics[1]!.slice(26)}`)} -> ${toAddress(`0x${topics[2]!.slice(26)}`)}: ${bytesToBigint(data)}`
}

describe('traceTransfers', () => {
  const code = {
    [A]: `0x${[
      log(0),
      call('f1', B, 1),
      call('f1', C, 2),
      call('f2', B, 3),
      call('f4', B),
      call('f1', B, 0),
      log(1),
      `73${D.slice(2)}ff`,
    ].join('')}`,
    [B]: `0x${log(2)}`,
    [C]: `0x${log(3)}${call('f1', B, 1)}5f5ffd`,
  } as const

  it('reports transfers between the logs in execution order, but no reverted, delegated or empty ones', async () => {
    const session = openSession({ code, traceTransfers: true })
    const { logs } = executed(await session.call(callTo(A, { value: 10n }), NO_CHECKS))
    expect(logs.map(described)).toEqual([
      `${SENDER} -> ${A}: 10`,
      `${A} 0 bytes`,
      `${A} -> ${B}: 1`,
      `${B} 2 bytes`,
      `${A} 2 bytes`,
      `${A} 2 bytes`,
      `${B} 2 bytes`,
      `${A} 1 bytes`,
      `${A} -> ${D}: 9`,
    ])
  })

  it('reports a plain transfer and a creation with value, and nothing when off', async () => {
    const session = openSession({ traceTransfers: true })
    const plain = executed(await session.call(callTo(B, { value: 3n }), NO_CHECKS))
    expect(plain.logs.map(described)).toEqual([`${SENDER} -> ${B}: 3`])
    const creation = executed(await session.call(callTo(null, { value: 4n }), NO_CHECKS))
    expect(creation.logs.map(described)).toEqual([`${SENDER} -> ${creation.contractAddress}: 4`])
    const silent = executed(await openSession().call(callTo(B, { value: 3n }), NO_CHECKS))
    expect(silent.logs).toEqual([])
  })

  it('is off again in the next session of the engine', async () => {
    const engine = createEngine({ config: LAYER_2 })
    const { env, state } = openSession({ code })
    const first = engine.open(env, state, { traceTransfers: true })
    expect(executed(await first.call(callTo(B, { value: 3n }), NO_CHECKS)).logs.length).toBe(2)
    first.close()
    const second = engine.open(env, state)
    expect(executed(await second.call(callTo(B, { value: 3n }), NO_CHECKS)).logs.length).toBe(1)
  })
})

describe('movedPrecompiles', () => {
  const data = hexToBytes('0x010203')
  const output = async (to: Address, moved: ReadonlyMap<Address, Address | null>) => {
    const session = openSession({ movedPrecompiles: moved })
    return bytesToHex(executed(await session.call(callTo(to, { data }), NO_CHECKS)).output)
  }

  it('run at the new address and no longer at their own', async () => {
    const moved = new Map([[IDENTITY, D]])
    expect(await output(D, moved)).toBe('0x010203')
    expect(await output(IDENTITY, moved)).toBe('0x')
    expect(await output(IDENTITY, new Map())).toBe('0x010203')
  })

  it('can be disabled', async () => {
    expect(await output(IDENTITY, new Map([[IDENTITY, null]]))).toBe('0x')
  })

  it('can swap places', async () => {
    const sha256 = address(2)
    const moved = new Map([
      [IDENTITY, sha256],
      [sha256, IDENTITY],
    ])
    expect(await output(sha256, moved)).toBe('0x010203')
    expect(await output(IDENTITY, moved)).toBe('0x039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81')
  })
})

describe('precompiles', () => {
  it('grow with the forks', () => {
    const engine = createEngine({ config: LAYER_2 })
    const counts = FORKS.map((fork) => engine.precompiles({ fork }).size)
    expect(counts).toEqual([...counts].sort((a, b) => a - b))
    expect(engine.precompiles({ fork: 'frontier' }).size).toBe(4)
    expect(engine.precompiles({ fork: 'prague' }).size).toBe(17)
    expect(engine.precompiles({ fork: 'prague' }).has(address(0x11))).toBe(true)
    expect(engine.precompiles({ fork: 'osaka' }).has(address(0x100))).toBe(true)
  })
})
