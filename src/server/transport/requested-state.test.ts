import { expect, test } from 'vitest'
import { requestedState } from './requested-state.ts'

test.each([
  ['/', undefined],
  ['/?', undefined],
  ['/?key=1', undefined],
  ['/?latest=preconfirmed', 'preconfirmed'],
  ['/?key=1&latest=sealed', 'sealed'],
  ['/?latest=%70reconfirmed', 'preconfirmed'],
])('%s chooses %s', (target, latestState) => {
  expect(requestedState(target)).toEqual({ kind: 'valid', latestState })
})

test.each(['/?latest=', '/?latest', '/?latest=pending', '/?latest=sealed&latest=preconfirmed'])(
  'refuses %s and names the values',
  (target) => {
    const message = 'invalid query: latest is given once, as sealed or preconfirmed'
    expect(requestedState(target)).toEqual({ kind: 'invalid', message })
  },
)
