import { test } from 'vitest'
import { crashLoop } from './support/crash-loop.ts'

test('a node that is killed 20 times under load loses and reverts nothing', { timeout: 180_000 }, () => {
  crashLoop({ kills: 20 })
})

test('a development node that is killed 8 times keeps acknowledged changes, and reverts wholly or not at all', {
  timeout: 180_000,
}, () => {
  crashLoop({ kills: 8, dev: true })
})
