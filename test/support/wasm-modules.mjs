import { prepareWasm } from '../../scripts/prepare.mjs'

/** Global setup: rebuilds WebAssembly from the current sources, even if the test runner is started directly. */
export function setup() {
  prepareWasm()
}
