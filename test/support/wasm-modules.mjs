import { prepareWasm } from '../../scripts/prepare.mjs'

/** Before all tests: what they load is what the sources say, also when the test runner was started by itself. */
export function setup() {
  prepareWasm()
}
