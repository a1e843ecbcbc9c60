import { expect, test } from 'vitest'
import { requestIds } from './create-server.ts'

test("keeps a client's id and creates others", () => {
  const name = requestIds('4f2a')
  expect(name('trace-1:a.b_c')).toBe('trace-1:a.b_c')
  expect([name(undefined), name(undefined)]).toEqual(['4f2a-1', '4f2a-2'])
})

test.each([[''], ['a b'], ['x'.repeat(65)], ['a\r\nSet-Cookie: x'], ['"}'], [['a', 'b']]])(
  'replaces the id %j',
  (given) => {
    expect(requestIds('own')(given)).toBe('own-1')
  },
)
