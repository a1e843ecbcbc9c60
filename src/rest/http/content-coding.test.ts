import { expect, test } from 'vitest'
import { acceptedCoding } from './content-coding.ts'

test.each([
  ['gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['br', 'br'],
  ['gzip, deflate, br', 'gzip'],
  ['gzip;q=0.5, br', 'br'],
  ['gzip;q=0.5,br;q=0.4', 'gzip'],
  ['gzip;q=0', undefined],
  ['gzip;q=0, *', 'br'],
  ['*', 'gzip'],
  ['*;q=0', undefined],
  ['identity', undefined],
  ['identity, gzip', 'gzip'],
  ['identity, gzip;q=0.5', undefined],
  ['identity;q=0.5, gzip', 'gzip'],
  ['identity;q=0, br;q=0.1', 'br'],
  ['deflate', undefined],
  ['gzip;q=1.2.3', undefined],
  ['', undefined],
  [undefined, undefined],
])('Accept-Encoding %s accepts %s', (header, coding) => {
  expect(acceptedCoding(header, ['gzip', 'br'])).toBe(coding)
})
