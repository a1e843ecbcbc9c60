import { expect, test } from 'vitest'
import { requestIds } from './request-id.ts'

test('a name that a client gave is kept, others are made', () => {
  const name = requestIds('4f2a')
  expect(name('trace-1:a.b_c')).toBe('trace-1:a.b_c')
  expect([name(undefined), name(undefined)]).toEqual(['4f2a-1', '4f2a-2'])
})

test.each([[''], ['a b'], ['x'.repeat(65)], ['a\r\nSet-Cookie: x'], ['"}'], [['a', 'b']]])(
  'the name %j is not let into headers and logs',
  (given) => {
    expect(requestIds('own')(given)).toBe('own-1')
  },
)
