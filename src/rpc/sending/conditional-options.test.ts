import fc from 'fast-check'
import { expect, test } from 'vitest'
import { conditionalChoices } from '../../../test/support/parameter-values.ts'
import { conditionalOptions } from './conditional-options.ts'

test('conditions are equal after they are encoded and decoded', () => {
  fc.assert(
    fc.property(conditionalChoices, (options) => {
      const json = JSON.parse(JSON.stringify(conditionalOptions.encode(options)))

      expect(conditionalOptions.decode(json)).toEqual(options)
    }),
  )
})
