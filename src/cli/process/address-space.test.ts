import { expect, test } from 'vitest'
import { addressSpaceAdvice } from './address-space.ts'

const limits = (value: string) =>
  `Limit                     Soft Limit           Hard Limit           Units
Max address space         ${value.padEnd(20)} unlimited            bytes
Max open files            1024                 4096                 files
`

test.each([
  ['unlimited', undefined],
  [String(200 * 2 ** 30), undefined],
  [String(2 * 2 ** 30), /may map 2 GiB .* up to 200 GiB.* raise or lift the limit \(ulimit -v unlimited, LimitAS=inf/],
])('a limit of %s bytes of address space gives the advice %s', (value, advice) => {
  const found = addressSpaceAdvice(limits(value))
  if (advice === undefined) expect(found).toBeUndefined()
  else expect(found).toMatch(advice)
})

test('a system without limits of processes gives no advice', () => {
  expect(addressSpaceAdvice('')).toBeUndefined()
})
