import { expect, test } from 'vitest'
import { DemonstrationTraffic } from './demonstration-traffic.ts'

const ACCOUNTS = [`0x${'a1'.repeat(20)}`, `0x${'b0'.repeat(20)}`, `0x${'c0'.repeat(20)}`]
const HELD = `0x${'57'.repeat(20)}`
const FOREIGN = `0x${'58'.repeat(20)}`

interface Sent {
  readonly from: string
  readonly to: string
  readonly value?: string
  readonly data?: string
}

function trafficOf(accounts: readonly string[], refuses = false, pending = async () => {}) {
  const sent: Sent[] = []
  const timers: (() => void)[] = []
  const tokens = [HELD, FOREIGN].map((contract_address) => ({ contract_address, decimals: 2 }))
  const traffic = new DemonstrationTraffic({
    client: {
      async request(method, [call] = []) {
        if (method === 'eth_accounts') return accounts
        if (method === 'eth_call') return (call as Sent).to === HELD ? '0x05' : '0x0'
        if (refuses) throw new Error('insufficient funds')
        await pending()
        sent.push(call as Sent)
        return '0x1'
      },
      read: async () => ({ status: 200, text: JSON.stringify({ tokens }) }),
    },
    after(_, action) {
      timers.push(action)
      return () => void timers.splice(timers.indexOf(action), 1)
    },
  })
  const round = async () => {
    timers.shift()?.()
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
  return { traffic, sent, timers, round }
}

test('sends ether between all accounts and the stocks that the first one holds, never to the sender', async () => {
  const { traffic, sent, round } = trafficOf(ACCOUNTS)
  await traffic.start()
  while (sent.length < 60) await round()

  const calls = sent.filter(({ data }) => data !== undefined)
  expect(new Set(calls.map(({ from, to }) => `${from} ${to}`))).toEqual(new Set([`${ACCOUNTS[0]} ${HELD}`]))
  expect(calls.every(({ data }) => /^0xa9059cbb0{24}[0-9a-f]{40}[0-9a-f]{64}$/.test(data!))).toBe(true)
  const ether = sent.filter(({ value }) => value !== undefined)
  expect(new Set(ether.map(({ from }) => from))).toEqual(new Set(ACCOUNTS))
  expect(ether.filter(({ from, to }) => from === to)).toEqual([])
  expect(traffic.state.value).toEqual({ isRunning: true, sent: sent.length, problem: undefined })
})

test('stops when asked to, and goes on when started again', async () => {
  const { traffic, sent, timers, round } = trafficOf(ACCOUNTS)
  await traffic.start()
  await round()
  traffic.stop()
  const before = sent.length
  await round()
  expect([sent.length, timers.length, traffic.state.value.isRunning]).toEqual([before, 0, false])
  await traffic.start()
  await round()
  await round()
  expect(sent.length).toBeGreaterThan(before)
})

test('ends by itself with the reason when every transaction is refused, or there are no accounts', async () => {
  const refused = trafficOf(ACCOUNTS, true)
  await refused.traffic.start()
  for (let count = 0; count < 40; count += 1) await refused.round()
  expect(refused.traffic.state.value).toEqual({ isRunning: false, sent: 0, problem: 'insufficient funds' })

  const lonely = trafficOf([])
  await lonely.traffic.start()
  expect(lonely.traffic.state.value).toMatchObject({
    isRunning: false,
    problem: expect.stringContaining('two accounts'),
  })
})

test('one loop runs after a stop and a start while a transaction was pending', async () => {
  const answers: (() => void)[] = []
  const { traffic, timers, round } = trafficOf(ACCOUNTS, false, () => new Promise((resolve) => answers.push(resolve)))
  await traffic.start()
  while (answers.length === 0) await round()
  traffic.stop()
  await traffic.start()
  expect(timers).toHaveLength(1)
  for (const answer of answers) answer()
  await new Promise<void>((resolve) => setImmediate(resolve))
  expect([timers.length, answers.length, traffic.state.value.sent]).toEqual([1, 1, 1])
})
