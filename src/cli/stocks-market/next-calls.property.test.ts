import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DEMO_STOCKS } from '../../chain/predeploys/demo-stocks.ts'
import { STOCKS_MARKET_MODES } from '../../flags/development-flags.ts'
import { toAddress } from '../../primitives/hex.ts'
import { marketSession } from '../../primitives/stocks/market-session.ts'
import { actionAt } from './market-action.ts'
import { MARKET_MODES } from './market-modes.ts'
import { type MarketCall, type MarketPlan, type MarketState, nextCalls, type TradedStock } from './next-calls.ts'

const WAD = 10n ** 18n
const secondsOf = (time: string) => Date.parse(time) / 1_000
const planOf = (mode: keyof typeof MARKET_MODES, seed = 'seed'): MarketPlan => ({ mode: MARKET_MODES[mode], seed })

/** A schedule of a multiplier, which a token has beside its state. */
interface Schedule {
  readonly multiplier: bigint
  readonly effectiveAt: bigint
}

/** The contracts of the market as functions of time: what calls leave behind. */
class Contracts {
  session: MarketState['session']
  readonly stocks: (TradedStock & { schedule?: Schedule; readonly announced: Set<string> })[] = DEMO_STOCKS.map(
    (stock) => ({
      stock,
      token: toAddress(stock.address),
      feed: toAddress(stock.priceFeed.address),
      multiplier: stock.multiplier,
      effectiveAt: stock.scheduled?.effectiveAt ?? 0n,
      ...(stock.scheduled !== undefined && { schedule: stock.scheduled }),
      announced: new Set<string>(),
      isAnnounced: false,
      isOraclePaused: false,
      equityPrice: (stock.priceFeed.answer * WAD) / stock.multiplier,
      answer: stock.priceFeed.answer,
      updatedAt: 0n,
    }),
  )

  stateAt(time: number, { mode }: MarketPlan): MarketState {
    const stocks = this.stocks.map(({ schedule, announced, ...traded }) => ({
      ...traded,
      multiplier:
        schedule !== undefined && schedule.effectiveAt <= BigInt(time) ? schedule.multiplier : traded.multiplier,
      isAnnounced: announced.has(actionAt(time, traded.stock.symbol, mode)?.id ?? ''),
    }))
    return { time, session: this.session, stocks }
  }

  /** Refuses what the contracts refuse. */
  apply(call: MarketCall, time: number, plan: MarketPlan): void {
    if (call.kind === 'session') {
      this.session = call.session
      return
    }
    const index = this.stocks.findIndex(({ token, feed }) =>
      'feed' in call ? feed === call.feed : token === call.token,
    )
    const before = this.stocks[index]!
    const { multiplier } = this.stateAt(time, plan).stocks[index]!
    if (call.kind === 'price') {
      if (this.session === 'closed') throw new Error('MarketClosed')
      if (before.isOraclePaused) throw new Error('OraclePaused')
      const { equityPrice } = call
      const answer = (equityPrice * multiplier) / WAD
      if (answer <= 0n) throw new Error('InvalidAnswer')
      this.stocks[index] = { ...before, equityPrice, answer, updatedAt: BigInt(time) }
    } else if (call.kind === 'pause') {
      this.stocks[index] = { ...before, isOraclePaused: call.isPaused }
    } else {
      if (before.announced.has(call.id)) throw new Error('AnnouncementIdAlreadyUsed')
      if (before.effectiveAt! > BigInt(time)) throw new Error('UIMultiplierUpdateExists')
      if (call.effectiveAt <= BigInt(time)) throw new Error('EffectiveAtInPast')
      const { effectiveAt } = call
      const schedule = { multiplier: call.multiplier, effectiveAt }
      this.stocks[index] = { ...before, multiplier, effectiveAt, schedule, announced: before.announced.add(call.id) }
    }
  }
}

const mode = fc.constantFrom(...STOCKS_MARKET_MODES)
const start = fc.integer({ min: secondsOf('2026-01-01'), max: secondsOf('2027-01-01') })
/** Seconds between looks at the market: a node may be down for a while. */
const gaps = fc.array(fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 60, max: 90_000 })), {
  minLength: 1,
  maxLength: 60,
})

describe('the calls that move the market', () => {
  test('are accepted by the contracts, and leave nothing to do', () => {
    fc.assert(
      fc.property(mode, start, gaps, (name, begin, pauses) => {
        const plan = planOf(name)
        const contracts = new Contracts()
        let time = begin
        for (const gap of pauses) {
          for (const call of nextCalls(contracts.stateAt(time, plan), plan)) contracts.apply(call, time, plan)

          expect(nextCalls(contracts.stateAt(time, plan), plan)).toEqual([])
          time += gap
        }
      }),
      { numRuns: 200 },
    )
  })
})

/** Looks at the market every `every` seconds. @returns every call with its time and the state that it found */
function run(contracts: Contracts, plan: MarketPlan, [from, until]: readonly [string, string], every: number) {
  const made: { readonly time: number; readonly call: MarketCall; readonly before: MarketState }[] = []
  for (let time = secondsOf(from); time < secondsOf(until); time += every) {
    for (const call of nextCalls(contracts.stateAt(time, plan), plan)) {
      made.push({ time, call, before: contracts.stateAt(time, plan) })
      contracts.apply(call, time, plan)
    }
  }
  return made
}

const isoOf = (time: number) => new Date(time * 1_000).toISOString()

describe('a market', () => {
  test('opens and closes by the hours in New York, and has no prices on the weekend', () => {
    const made = run(new Contracts(), planOf('trading-day'), ['2026-01-09T12:00:00Z', '2026-01-12T16:00:00Z'], 60)

    const sessions = made.flatMap(({ time, call }) => (call.kind === 'session' ? [[isoOf(time), call.session]] : []))
    expect(sessions).toEqual([
      ['2026-01-09T12:00:00.000Z', 'pre-market'],
      ['2026-01-09T14:30:00.000Z', 'regular'],
      ['2026-01-09T21:00:00.000Z', 'post-market'],
      ['2026-01-10T01:00:00.000Z', 'closed'],
      ['2026-01-12T01:00:00.000Z', 'overnight'],
      ['2026-01-12T09:00:00.000Z', 'pre-market'],
      ['2026-01-12T14:30:00.000Z', 'regular'],
    ])
    const prices = made.filter(({ call }) => call.kind === 'price')
    expect(prices.length).toBeGreaterThan(500)
    const [closes, opens] = [secondsOf('2026-01-10T01:00:00Z'), secondsOf('2026-01-12T01:00:00Z')]
    expect(prices.filter(({ time }) => time >= closes && time < opens)).toEqual([])
  })

  test('announces, pauses, takes effect and resumes in this order for a dividend and a split of each cycle', () => {
    const contracts = new Contracts()
    const made = run(contracts, planOf('trading-day'), ['2026-01-07T15:00:00Z', '2026-01-07T16:00:00Z'], 2)

    for (const [symbol, effective, multiplier] of [
      ['VIREOd', '15:18', 1_028_517_000_000_000_000n],
      ['QLBKFd', '15:42', 4n * WAD],
    ] as const) {
      const { address, priceFeed } = DEMO_STOCKS.find((one) => one.symbol === symbol)!
      const calls = made.filter(({ call }) => ('token' in call ? call.token === address : false))
      expect(calls.map(({ call: { kind } }) => kind)).toEqual(['announcement', 'pause', 'pause'])
      const [announced, paused, resumed] = calls.map(({ time }) => time) as [number, number, number]
      const effectiveAt = secondsOf(`2026-01-07T${effective}:00Z`)
      expect(calls[0]!.call).toMatchObject({ multiplier, effectiveAt: BigInt(effectiveAt) })
      expect(announced).toBeLessThan(paused)
      expect(paused).toBeLessThan(effectiveAt)
      expect(resumed).toBeGreaterThan(effectiveAt)
      const prices = made.filter(({ call }) => call.kind === 'price' && call.feed === priceFeed.address)
      expect(prices.filter(({ time }) => time >= paused && time < resumed)).toEqual([])
      // The price follows the end of the pause at once.
      expect(prices.some(({ time }) => time === resumed)).toBe(true)
    }
  })

  test('keeps the price of a token across a split, and that of a share across a dividend', () => {
    const contracts = new Contracts()
    const plan = planOf('calm')
    const feedOf = (symbol: string) => contracts.stocks.find(({ stock }) => stock.symbol === symbol)!

    run(contracts, plan, ['2026-01-07T02:00:00Z', '2026-01-07T20:00:00Z'], 60)

    const [split, dividend] = [feedOf('QLBKFd'), feedOf('VIREOd')]
    expect(split.schedule?.multiplier).toBe(4n * WAD)
    expect(Number(split.answer) / Number(split.stock.priceFeed.answer)).toBeCloseTo(1, 1)
    expect(split.answer).toBe((split.equityPrice * 4n * WAD) / WAD)
    const share = (dividend.stock.priceFeed.answer * WAD) / dividend.stock.multiplier
    expect(Number(dividend.equityPrice) / Number(share)).toBeCloseTo(1, 1)
    expect(dividend.answer).toBe((dividend.equityPrice * dividend.schedule!.multiplier) / WAD)
  })

  test('alternates splits with reverse splits, so that multipliers stay within bounds', () => {
    const contracts = new Contracts()
    const made = run(contracts, planOf('stress'), ['2026-01-05T06:00:00Z', '2026-01-06T06:00:00Z'], 30)

    const multipliers = made.flatMap(({ call }) =>
      call.kind === 'announcement' && call.description.startsWith('QLBKFd') ? [call.multiplier] : [],
    )
    expect(multipliers.length).toBeGreaterThan(100)
    expect(new Set(multipliers)).toEqual(new Set([4n * WAD, 2n * WAD]))
  })

  test('leaves a feed paused that an operator paused, unless it has corporate actions of its own', () => {
    const contracts = new Contracts()
    const plan = planOf('trading-day')
    const time = secondsOf('2026-01-07T15:00:00Z')
    for (const { token } of contracts.stocks) contracts.apply({ kind: 'pause', token, isPaused: true }, time, plan)

    run(contracts, plan, ['2026-01-07T15:00:00Z', '2026-01-07T15:01:00Z'], 10)

    const paused = contracts.stocks.filter(({ isOraclePaused }) => isOraclePaused).map(({ stock }) => stock.symbol)
    expect(paused).toEqual(['HLCYNd', 'MRDTLd', 'OSTGLd', 'FJORDd'])
  })

  test('schedules nothing for tokens that cannot schedule a multiplier', () => {
    const plan = planOf('stress')
    const from = secondsOf('2026-01-07T15:00:00Z')
    for (let time = from; time < from + 1_200; time += 10) {
      const { stocks, ...market } = new Contracts().stateAt(time, plan)
      const calls = nextCalls({ ...market, stocks: stocks.map((one) => ({ ...one, effectiveAt: undefined })) }, plan)
      expect(calls.filter(({ kind }) => kind === 'announcement' || kind === 'pause')).toEqual([])
    }
  })

  test('halts trading under stress within the hours of the exchange', () => {
    const made = run(new Contracts(), planOf('stress'), ['2026-01-07T15:00:00Z', '2026-01-07T15:10:00Z'], 1)

    const sessions = made.flatMap(({ time, call }) => (call.kind === 'session' ? [[isoOf(time), call.session]] : []))
    expect(marketSession(BigInt(secondsOf('2026-01-07T15:09:00Z')))).toBe('regular')
    expect(sessions).toEqual([
      ['2026-01-07T15:00:00.000Z', 'regular'],
      ['2026-01-07T15:09:00.000Z', 'closed'],
      ['2026-01-07T15:09:30.000Z', 'regular'],
    ])
  })

  test('moves further with each mode, and differently with another seed', () => {
    const range = ['2026-01-07T15:00:00Z', '2026-01-07T16:00:00Z'] as const
    const answersOf = (plan: MarketPlan) =>
      run(new Contracts(), plan, range, 10).flatMap(({ call }) =>
        call.kind === 'price' && call.feed === DEMO_STOCKS[0]!.priceFeed.address ? [Number(call.equityPrice)] : [],
      )
    const spread = (answers: readonly number[]) => Math.max(...answers) / Math.min(...answers)
    const [calm, day, stress] = STOCKS_MARKET_MODES.map((name) => answersOf(planOf(name)))

    expect(spread(calm!)).toBeLessThan(spread(day!))
    expect(spread(day!)).toBeLessThan(spread(stress!))
    expect(calm!.length).toBeLessThan(day!.length)
    expect(answersOf(planOf('trading-day'))).toEqual(day)
    expect(answersOf(planOf('trading-day', 'another seed'))).not.toEqual(day)
  })
})
