import { expect, test } from 'vitest'
import type { StartOptions } from '../flags/start-flags.ts'
import { withStartDefaults } from './start-defaults.ts'

test.each([
  [{}, false],
  [{ quiet: true }, true],
  [{ silent: true }, true],
])('--silent includes --quiet (%j)', async (flags, quiet) => {
  const options = { silent: false, quiet: false, ...flags } as StartOptions

  expect(await withStartDefaults(options, 0)).toMatchObject({ quiet })
})
