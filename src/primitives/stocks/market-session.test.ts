import { expect, test } from 'vitest'
import { marketSession } from './market-session.ts'

const at = (time: string) => marketSession(BigInt(Date.parse(time) / 1_000))

test.each([
  ['Monday 3:59', '2026-01-05T08:59:59Z', 'overnight'],
  ['Monday 4:00', '2026-01-05T09:00:00Z', 'pre-market'],
  ['Monday 9:29', '2026-01-05T14:29:59Z', 'pre-market'],
  ['Monday 9:30', '2026-01-05T14:30:00Z', 'regular'],
  ['Monday 15:59', '2026-01-05T20:59:59Z', 'regular'],
  ['Monday 16:00', '2026-01-05T21:00:00Z', 'post-market'],
  ['Monday 20:00', '2026-01-06T01:00:00Z', 'overnight'],
  ['midnight', '2026-01-06T05:00:00Z', 'overnight'],
  ['Friday 19:59', '2026-01-10T00:59:59Z', 'post-market'],
  ['Friday 20:00', '2026-01-10T01:00:00Z', 'closed'],
  ['Saturday', '2026-01-10T17:00:00Z', 'closed'],
  ['Sunday 19:59', '2026-01-12T00:59:59Z', 'closed'],
  ['Sunday 20:00', '2026-01-12T01:00:00Z', 'overnight'],
])('the session on %s in New York', (_, time, session) => {
  expect(at(time)).toBe(session)
})

test('follows daylight saving time', () => {
  expect(at('2026-07-06T13:30:00Z')).toBe('regular')
  expect(at('2026-01-05T13:30:00Z')).toBe('pre-market')
})
