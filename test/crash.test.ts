import { test } from 'vitest'
import { crashLoop } from './support/crash-loop.ts'

test('a node that is killed 6 times under load loses and reverts nothing', { timeout: 180_000 }, () => {
  crashLoop({ kills: 6 })
})
